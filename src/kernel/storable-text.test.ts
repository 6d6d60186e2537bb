import { expect, test } from 'vitest';
import { findUnstorableText, storable } from './storable-text.ts';

test('the first text that cannot be stored is named by its path', () => {
  expect(findUnstorableText({ a: 'fine', b: [{ c: 'x\0y' }] })).toEqual(['b', 0, 'c']);
  expect(findUnstorableText({ a: '\ud800' })).toEqual(['a']);
  expect(findUnstorableText({ 'k\0': 1 })).toEqual(['k\0']);
  expect(findUnstorableText('\udc00x')).toEqual([]);
});

test('everything else is accepted', () => {
  expect(findUnstorableText({ a: null, b: [1, true, '😀', '\u0001'], c: {} })).toBeUndefined();
});

test('what cannot be stored is replaced, everything else stays as it is', () => {
  expect(storable({ 'k\0': ['a\0b', '\ud800', 7n, null], b: '😀' })).toEqual({
    'k\uFFFD': ['a\uFFFDb', '\uFFFD', 7n, null],
    b: '😀',
  });
  const fine = { a: ['x'] };
  expect(storable(fine)).toBe(fine);
});
