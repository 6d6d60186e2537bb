import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bestNameMatch, foldName, nameSimilarity } from './name-match.ts';

test.each([
  ['Blue Mug Pty Ltd', 'BLUE MUG PTY. LIMITED'],
  ['Hammer & Nail', 'Hammer and Nail Pty Ltd'],
  ['Café Zoë', 'CAFE ZOE'],
  ["O'Brien's Tools", 'OBRIENS TOOLS'],
  ['The Smith Family Trust', 'The Trustee for Smith Family Trust'],
])('%j and %j are the same name', (a, b) => {
  expect(nameSimilarity(a, b)).toBe(100);
});

test('a mistyped name has a high score, another name a low one', () => {
  expect(nameSimilarity('Atlassian Pty Ltd', 'Atlasian')).toBeGreaterThan(80);
  expect(nameSimilarity('Mug Blue', 'Blue Mug')).toBe(99);
  expect(nameSimilarity('Blue Mug', 'Hardware Holdings')).toBeLessThan(20);
  expect(nameSimilarity('Test Goods', 'AUSTRALIAN TAXATION OFFICE')).toBeLessThan(30);
});

test('a name that has only legal forms is still compared', () => {
  expect(foldName('The Company Pty Ltd')).not.toBe('');
  expect(nameSimilarity('Limited', 'LIMITED')).toBe(100);
  expect(nameSimilarity('***', '***')).toBe(0);
});

test('the score is from 0 to 100, the same in both directions, and 100 for equal names', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.string({ maxLength: 60 }), (a, b) => {
      const score = nameSimilarity(a, b);
      expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
      expect(nameSimilarity(b, a)).toBe(score);
      expect([0, 100]).toContain(nameSimilarity(a, a));
    }),
  );
});

test('the most similar name of the register is returned with both texts', () => {
  expect(bestNameMatch('The Tool Shop', ['HARDWARE HOLDINGS PTY LTD', 'The Tool Shop', 'Other'])).toEqual({
    score: 100,
    business_name: 'The Tool Shop',
    register_name: 'The Tool Shop',
  });
  expect(bestNameMatch('X', [])).toBeUndefined();
});
