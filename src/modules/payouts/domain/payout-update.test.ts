/** Every word about a payout against every state of it. */
import { expect, test } from 'vitest';
import { PAYOUT_STATUSES, type PayoutStatus } from '../../settlements/domain/payout-status.ts';
import { type Decision, decidePayout, PAYOUT_WORDS, type PayoutWord } from './payout-update.ts';

const NOW = 1_000;
const decide = (status: PayoutStatus | undefined, word: PayoutWord, at: number, named = true): Decision =>
  decidePayout(status === undefined ? undefined : { status, at: NOW }, { word, at, named });

/** Said later than what is known, in the order of the words: in_transit, paid, failed, canceled, returned. */
const NEWS: Readonly<Record<PayoutStatus, readonly Decision[]>> = {
  pending: ['send', 'refuse', 'fail', 'cancel', 'refuse'],
  in_transit: ['repeat', 'pay', 'fail', 'refuse', 'refuse'],
  paid: [null, 'repeat', 'return', 'refuse', 'return'],
  failed: [null, 'refuse', 'repeat', 'refuse', 'refuse'],
  canceled: [null, 'refuse', 'refuse', 'repeat', 'refuse'],
  returned: [null, null, null, null, 'repeat'],
};

test.each(PAYOUT_STATUSES)('%s: what is news to it', (status) => {
  expect(PAYOUT_WORDS.map((word) => decide(status, word, NOW + 1))).toEqual(NEWS[status]);
});

test.each(PAYOUT_STATUSES)('%s: older words change nothing but what must have come before', (status) => {
  const older = PAYOUT_WORDS.map((word) => decide(status, word, NOW - 1));
  // A move that the table knows is made however late its word comes.
  const expected = NEWS[status].map((decision, index) => {
    if (decision === 'refuse') return null;
    return decision === 'return' && PAYOUT_WORDS[index] === 'failed' ? null : decision;
  });
  expect(older).toEqual(expected);
});

test('without a payout only the word that it was sent makes one', () => {
  expect(PAYOUT_WORDS.map((word) => decide(undefined, word, NOW))).toEqual([
    'attempt',
    'refuse',
    'refuse',
    'refuse',
    'refuse',
  ]);
});

test('a settlement whose payout has ended is sent another one, but not by old news', () => {
  for (const status of ['failed', 'canceled', 'returned'] as const) {
    expect(decide(status, 'in_transit', NOW + 1, false)).toBe('attempt');
    expect(decide(status, 'in_transit', NOW, false)).toBeNull();
  }
  expect(decide('paid', 'in_transit', NOW + 1, false)).toBeNull();
});
