import { expect, test } from 'vitest';
import { refusalOf } from './refusal.ts';

test.each([
  ['balance_insufficient', 'balance'],
  ['insufficient_funds', 'balance'],
  ['insufficient_capabilities_for_transfer', 'account'],
  ['account_closed', 'account'],
  ['incorrect_account_holder_name', 'account'],
  ['could_not_process', 'try_again'],
  ['payouts_limit_exceeded', 'try_again'],
  ['a_code_of_next_year', 'try_again'],
])('%s: %s', (code, refusal) => {
  expect(refusalOf(code)).toBe(refusal);
});
