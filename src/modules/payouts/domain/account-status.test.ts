import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accountStatus, groupOf, providerHold, type StatusFacts, waitingOf } from './account-status.ts';

const due = { provider_code: 'external_account', due: 'currently_due', errors: [] } as const;
const later = { ...due, due: 'eventually_due' } as const;
const facts = (more: Partial<StatusFacts>): StatusFacts => ({
  ...{ gone: false, payable: false, submitted: true, disabled_reason: null, requirements: [] },
  ...more,
});
const NONE = { disabled: false, any: false };
const HELD = { disabled: false, any: true };
const CLOSED = { disabled: true, any: true };

describe('the first row that fits', () => {
  test.each([
    ['not_started', undefined, NONE],
    ['disabled', facts({ payable: true, gone: true }), NONE],
    ['disabled', facts({ payable: true }), CLOSED],
    ['disabled', facts({ disabled_reason: 'rejected.fraud', submitted: false }), NONE],
    ['in_progress', facts({ submitted: false, requirements: [due] }), NONE],
    ['in_progress', facts({ submitted: false }), HELD],
    ['restricted', facts({ requirements: [due] }), NONE],
    ['restricted', facts({ payable: true }), HELD],
    ['under_review', facts({}), NONE],
    ['under_review', facts({ requirements: [later] }), NONE],
    ['action_needed', facts({ payable: true, requirements: [due] }), NONE],
    ['enabled', facts({ payable: true, requirements: [later] }), NONE],
  ] as const)('is %s', (status, account, holds) => {
    expect(accountStatus(account, holds)).toBe(status);
  });
});

test('money is held exactly while the provider does not pay, and somebody is named who acts', () => {
  const anything = fc.record({
    gone: fc.boolean(),
    payable: fc.boolean(),
    submitted: fc.boolean(),
    disabled_reason: fc.constantFrom(null, 'rejected.other', 'requirements.past_due'),
    requirements: fc.subarray([due, later]),
  });
  const holds = fc.constantFrom(NONE, HELD, CLOSED);
  fc.assert(
    fc.property(anything, holds, (account, others) => {
      const status = accountStatus(account, others);
      const isPaid = status === 'enabled' || status === 'action_needed';
      expect(isPaid && providerHold(account) !== undefined).toBe(false);
      expect(providerHold(account) === undefined).toBe(account.payable && !account.gone);
      expect(waitingOf(status, account).action === null).toBe(status === 'enabled');
    }),
  );
  expect(providerHold(undefined)).toBe('payout_account_missing');
  expect(providerHold(facts({ requirements: [due] }))).toBe('payouts_disabled');
});

test('a restriction without anything due is the marketplace’s to lift', () => {
  expect(waitingOf('restricted', facts({ payable: true })).waiting_on).toBe('marketplace');
  expect(waitingOf('restricted', facts({ requirements: [due] })).waiting_on).toBe('seller');
});

test.each([
  ['individual.verification.document', 'document'],
  ['external_account', 'bank'],
  ['tos_acceptance.date', 'terms'],
  ['person_x.first_name', 'identity'],
  ['business_profile.url', 'business'],
  ['company.tax_id', 'business'],
  ['something.new', 'other'],
])('%s is about %s', (code, group) => {
  expect(groupOf(code)).toBe(group);
});
