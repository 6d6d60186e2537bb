import { expect, test } from 'vitest';
import { checkSellerText } from './conversation-text.ts';

const RULES = { known: { strings: [], hosts: [] } };

test('a text may have as many characters as its limit, also those outside the first plane', () => {
  const check = (text: string) => checkSellerText(text, ['body', 'text'], RULES);
  const longest = '🐨'.repeat(4_000);
  expect(check(longest)).toBe(longest);
  expect(() => check(`${longest}.`)).toThrow(expect.objectContaining({ status: 422 }));
});
