import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { routePath } from '../../../kernel/route-path.ts';
import { waitingProblems } from '../../../kernel/waiting.ts';
import { MODULES } from '../../../modules.ts';
import { CASE_STATUSES } from '../../kyc/domain/case-machine.ts';
import { ACCOUNT_STATUSES } from '../../payouts/domain/account-status.ts';
import { type Facts, progressOf, STEP_KEYS, type StepKey } from './steps.ts';

const bool = fc.boolean();
const perhaps = fc.option(bool);
const instant = fc.option(fc.constant('2026-07-01T00:00:00.000Z'));
const anyFacts: fc.Arbitrary<Facts> = fc.record({
  ...{ active: bool, verified: bool, api_access: bool },
  ...{ agreement_published: bool, agreement_accepted_at: instant, agreement_overdue: bool },
  ...{ legal_name: bool, entity_type: bool, abn: bool, address: bool },
  ...{ register_configured: bool, verified_at: instant },
  verdict: fc.option(fc.constantFrom('verified', 'mismatch', 'inactive', 'not_found', 'unknown')),
  ...{ dispatch_address: bool, active_product: bool, visible_product: bool },
  ...{ active_endpoint: bool, delivered: bool },
  payout_account: fc.option(fc.constantFrom(...ACCOUNT_STATUSES)),
  // A case that is not required is not read (`v_kyc_onboarding`).
  identity_status: fc.option(
    fc.constantFrom('unnamed', ...CASE_STATUSES.filter((status) => status !== 'not_required')),
  ),
  ...{ identity_decided_at: instant, store_connected: perhaps, payout_due: bool },
});
const DONE: Facts = {
  ...{ active: true, verified: true, api_access: true },
  ...{
    agreement_published: true,
    agreement_accepted_at: '2026-07-01T00:00:00.000Z',
    agreement_overdue: false,
  },
  ...{ legal_name: true, entity_type: true, abn: true, address: true },
  ...{ register_configured: true, verdict: 'verified', verified_at: '2026-07-01T00:00:00.000Z' },
  ...{ dispatch_address: true, active_product: true, visible_product: true },
  ...{ active_endpoint: true, delivered: true },
  ...{ identity_status: 'approved', identity_decided_at: '2026-07-01T00:00:00.000Z' },
  ...{ payout_account: 'enabled', payout_due: false, store_connected: true },
};
const ROUTES = MODULES.flatMap((module) =>
  module.routes.map(({ access, ...route }) => ({ access, path: routePath(module, route) })),
);
const PATHS = new Set(ROUTES.map(({ path }) => path));
/** What a seller can call before the marketplace has enabled its account. */
const SETUP = new Set(ROUTES.flatMap(({ access, path }) => (access.auth === 'setup' ? path : [])));

describe('over all facts', () => {
  test('100 percent is when nothing is missing, and ready says what is missing', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { progress, missing, ready_to_sell, ready_for_payout, steps, next } = progressOf(facts);
        expect(progress.percent === 100).toBe(missing.length === 0);
        expect(progress.of - progress.done).toBe(missing.length);
        expect(ready_to_sell).toBe(missing.every((key) => key === 'payout_account'));
        expect(ready_for_payout).toBe(
          !(['account', 'agreement', 'identity', 'payout_account'] as const).some((key) =>
            missing.includes(key),
          ),
        );
        expect(steps.map(({ key }) => key)).toEqual(STEP_KEYS);
        expect(next === null).toBe(missing.length === 0);
      }),
    );
  });

  test('a step that is not done says who must act and how; the path is a route', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        expect(waitingProblems(progressOf(facts))).toEqual([]);
        for (const { status, action, blocked_by, facts: known } of progressOf(facts).steps) {
          const isOpen = status !== 'done' && status !== 'not_applicable';
          expect(action !== null).toBe(isOpen);
          expect(blocked_by.length > 0).toBe(status === 'blocked');
          expect(known.every(({ holds }) => holds)).toBe(!isOpen);
          if (action?.href != null) expect(PATHS.has(action.href), action.href).toBe(true);
        }
      }),
    );
  });

  test('a suspended or closed account is sent nowhere: the marketplace acts', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { steps } = progressOf({ ...facts, active: false });
        expect(steps.filter(({ waiting_on }) => waiting_on === 'seller')).toEqual([]);
      }),
    );
  });

  test('without an enabled account the seller is sent to routes of the setup only', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { steps } = progressOf({ ...facts, verified: false });
        for (const { key, waiting_on, action } of steps)
          if (waiting_on !== 'nobody' && action?.href != null)
            expect(SETUP.has(action.href), `${key} ${action.href}`).toBe(true);
      }),
    );
  });
});

const statusIn = (facts: Partial<Facts>, key: StepKey) =>
  progressOf({ ...DONE, ...facts }).steps.find((step) => step.key === key)?.status;

test.each<[string, Partial<Facts>, StepKey, string]>([
  ['without terms there is nothing to accept', { agreement_published: false }, 'agreement', 'not_applicable'],
  ['overdue terms are not done', { agreement_overdue: true }, 'agreement', 'todo'],
  ['an account that waits for one decision', { verified: false }, 'account', 'in_progress'],
  ['without a register', { register_configured: false, verdict: null }, 'business_number', 'not_applicable'],
  ['another name in the register is no obstacle', { verdict: 'mismatch' }, 'business_number', 'done'],
  ['a cancelled number', { verdict: 'inactive' }, 'business_number', 'in_progress'],
  ['without a number', { verdict: null, abn: false }, 'business_number', 'blocked'],
  ['where no identity is asked for', { identity_status: null }, 'identity', 'not_applicable'],
  ['products need a token', { verified: false, active_product: false }, 'first_product', 'blocked'],
  ['products need the terms', { agreement_overdue: true, active_product: false }, 'first_product', 'blocked'],
  [
    'no product can be seen',
    { active_product: false, visible_product: false },
    'first_visible_product',
    'blocked',
  ],
])('%s', (_what, facts, key, status) => {
  expect(statusIn(facts, key)).toBe(status);
});

test('a payout account that others restrict does not wait for the provider’s form', () => {
  const step = (payout_due: boolean) =>
    progressOf({ ...DONE, payout_account: 'restricted', payout_due }).steps.find(
      ({ key }) => key === 'payout_account',
    );
  expect(step(true)).toMatchObject({
    ...{ waiting_on: 'seller', action: { href: '/api/v1/payouts/onboarding-links' } },
  });
  expect(step(false)).toMatchObject({
    ...{ waiting_on: 'marketplace', action: { href: '/api/v1/payouts/account' } },
  });
});

test('a payout account that is restricted stops payouts, not sales', () => {
  expect(progressOf({ ...DONE, payout_account: 'restricted' })).toMatchObject({
    ...{ ready_to_sell: true, ready_for_payout: false, missing: ['payout_account'], next: 'payout_account' },
  });
});

test('what the seller can do comes before what the marketplace does', () => {
  const { next } = progressOf({ ...DONE, verified: false, address: false });
  expect(next).toBe('business_details');
});

test('an identity that is not asked for is not counted', () => {
  const counted = ({ progress }: ReturnType<typeof progressOf>) => progress.of;
  expect(counted(progressOf({ ...DONE, identity_status: null }))).toBe(counted(progressOf(DONE)) - 1);
});
