import { expect, test } from 'vitest';
import { packChanges, unpackChanges } from './stored-changes.ts';

const CHANGES = [
  { field: 'title', before: null, after: 'Mug' },
  { field: 'price_minor', before: 1999, after: null },
  { field: 'images', before: [], after: ['img_1'] },
  { field: 'status', before: null, after: null },
];

test('unpacking restores packed changes', () => {
  expect(unpackChanges(JSON.parse(JSON.stringify(packChanges(CHANGES))))).toEqual(CHANGES);
  expect(unpackChanges(null)).toEqual([]);
});

test('unpacking reads changes that have keys', () => {
  expect(unpackChanges(CHANGES)).toEqual(CHANGES);
});
