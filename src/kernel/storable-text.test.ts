import { expect, test } from 'vitest';
import { findUnstorableText } from './storable-text.ts';

test('the first text that cannot be stored is named by its path', () => {
  expect(findUnstorableText({ a: 'fine', b: [{ c: 'x\0y' }] })).toEqual(['b', 0, 'c']);
  expect(findUnstorableText({ a: '\ud800' })).toEqual(['a']);
  expect(findUnstorableText({ 'k\0': 1 })).toEqual(['k\0']);
  expect(findUnstorableText('\udc00x')).toEqual([]);
});

test('everything else is accepted', () => {
  expect(findUnstorableText({ a: null, b: [1, true, '😀', '\u0001'], c: {} })).toBeUndefined();
});
