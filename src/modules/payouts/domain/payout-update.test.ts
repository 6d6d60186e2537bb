/** Every report about a payout against every state of it. */
import { expect, test } from 'vitest';
import { PAYOUT_STATUSES, type PayoutStatus } from '../../settlements/domain/payout-status.ts';
import { type Decision, decidePayout, REPORTED_STATUSES, type ReportedStatus } from './payout-update.ts';

const NOW = 1_000;
const decide = (
  status: PayoutStatus | undefined,
  reported: ReportedStatus,
  at: number,
  named = true,
): Decision =>
  decidePayout(status === undefined ? undefined : { status, at: NOW }, { status: reported, at, named });

/** Decisions on newer reports, in their order: in_transit, paid, failed, canceled, returned. */
const DECISIONS: Readonly<Record<PayoutStatus, readonly Decision[]>> = {
  pending: ['send', 'refuse', 'fail', 'cancel', 'refuse'],
  in_transit: ['repeat', 'pay', 'fail', 'refuse', 'refuse'],
  paid: [null, 'repeat', 'return', 'refuse', 'return'],
  failed: [null, 'refuse', 'repeat', 'refuse', 'refuse'],
  canceled: [null, 'refuse', 'refuse', 'repeat', 'refuse'],
  returned: [null, null, null, null, 'repeat'],
};

test.each(PAYOUT_STATUSES)('%s: newer reports', (status) => {
  expect(REPORTED_STATUSES.map((reported) => decide(status, reported, NOW + 1))).toEqual(DECISIONS[status]);
});

test.each(PAYOUT_STATUSES)(
  '%s: older reports change nothing except moves that must have come before',
  (status) => {
    const older = REPORTED_STATUSES.map((reported) => decide(status, reported, NOW - 1));
    // A move that the machine allows is made however late its report arrives.
    const expected = DECISIONS[status].map((decision, index) => {
      if (decision === 'refuse') return null;
      return decision === 'return' && REPORTED_STATUSES[index] === 'failed' ? null : decision;
    });
    expect(older).toEqual(expected);
  },
);

test('without a payout, only a report that it was sent makes one', () => {
  expect(REPORTED_STATUSES.map((reported) => decide(undefined, reported, NOW))).toEqual([
    'attempt',
    'refuse',
    'refuse',
    'refuse',
    'refuse',
  ]);
});

test('a settlement whose payout has ended gets another one, but not by an older report', () => {
  for (const status of ['failed', 'canceled', 'returned'] as const) {
    expect(decide(status, 'in_transit', NOW + 1, false)).toBe('attempt');
    expect(decide(status, 'in_transit', NOW, false)).toBeNull();
  }
  expect(decide('paid', 'in_transit', NOW + 1, false)).toBeNull();
});
