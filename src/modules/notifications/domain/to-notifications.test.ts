import { expect, test } from 'vitest';
import { titleOf } from './to-notifications.ts';

const payout = { amount_minor: 94_959, currency: 'AUD', payout_id: 'pay_1', note: null };

test.each([
  ['A payout of {amount_minor} has arrived', 'A payout of 949.59 AUD has arrived'],
  ['{note|payout_id} has arrived', 'pay_1 has arrived'],
  ['{note|missing.part}', '–'],
  ['{times} payouts', '{times} payouts'],
])('%s is %s', (template, title) => {
  expect(titleOf(template, payout)).toBe(title);
});

test('amounts follow the currency; without one they stay as they are', () => {
  expect(titleOf('{a_minor}', { a_minor: -1_500, currency: 'JPY' })).toBe('-1500 JPY');
  expect(titleOf('{a_minor}', { a_minor: 5 })).toBe('5');
  expect(titleOf('{a_minor}', null)).toBe('–');
});

test('instants are minutes in Sydney', () => {
  const object = { by: '2026-11-24T13:49:02.348Z', on: '2026-11-24', note: '2026-11-24T13:49:02.348Z?' };
  expect(titleOf('{by} {on} {note}', object)).toBe(
    '2026-11-25 00:49 Sydney time 2026-11-24 2026-11-24T13:49:02.348Z?',
  );
});
