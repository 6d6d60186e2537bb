import { expect, test } from 'vitest';
import { isOlder } from './event-order.ts';

const T1 = '2026-06-28T01:00:00.000Z';
const T2 = '2026-06-28T01:00:00.001Z';

test('versions decide if both have one, whatever their instants', () => {
  expect(isOlder({ at: T2, version: 3n }, { at: T1, version: 4n })).toBe(true);
  expect(isOlder({ at: T1, version: 5n }, { at: T2, version: 4n })).toBe(false);
  expect(isOlder({ at: T1, version: 9007199254740993n }, { at: T1, version: 9007199254740992n })).toBe(false);
});

test('without versions the instant decides, and equals are applied', () => {
  expect(isOlder({ at: T1, version: null }, { at: T2, version: null })).toBe(true);
  expect(isOlder({ at: T2, version: null }, { at: T2, version: null })).toBe(false);
  expect(isOlder({ at: T1, version: 7n }, { at: T2, version: null })).toBe(true);
  expect(isOlder({ at: T1, version: null }, { at: null, version: null })).toBe(false);
});
