import { expect, test } from 'vitest';
import { contactMarketplace, DONE, sellerCalls, sellerOpens, waitFor, waitingProblems } from './waiting.ts';

test('the objects of each helper satisfy invariant W', () => {
  const shown = [
    DONE,
    sellerCalls('/api/v1/payouts/onboarding-links', 'Open an account.'),
    sellerOpens('/api/v1/channels/x', 'Look.'),
    contactMarketplace('Ask.'),
    { ...waitFor('provider', 'It checks.'), next_check_at: '2026-07-01T00:00:00.000Z' },
    { ...waitFor('marketplace', 'It decides.'), next_check_at: null, deadline: '2026-07-01T00:00:00.000Z' },
  ];
  const conversation = { thread_id: 'thr_1', waiting_on: 'buyer' };
  expect(waitingProblems({ data: [...shown, conversation] })).toEqual([]);
});

test('an incomplete object is found at its place', () => {
  const shown = {
    data: [
      { waiting_on: 'seller', action: null },
      waitFor('provider', 'It checks.'),
      sellerCalls('https://elsewhere.example', 'Go.'),
      { ...DONE, action: sellerOpens('/api/v1/x', 'Look.').action },
    ],
  };
  expect(waitingProblems(shown)).toEqual([
    '/data/0: seller waits without an action',
    '/data/1: a wait without next_check_at or deadline',
    '/data/2: href',
    '/data/3: an action although nothing is left',
  ]);
});
