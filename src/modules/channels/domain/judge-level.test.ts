import { expect, test } from 'vitest';
import { judgeLevel } from './judge-level.ts';

const [BEFORE, AT, AFTER] = ['09:59:00', '10:00:05', '10:00:06'].map((time) => `2026-07-01T${time}.000Z`);
const known = { available: 6, updated_at: AT ?? '', active: true };
const said = (available: number | null, updated_at: string | null = AT ?? null) => ({
  available,
  updated_at,
});

test('a level that is new or newer is taken', () => {
  expect(judgeLevel(undefined, said(6))).toBe('take');
  expect(judgeLevel(known, said(6, AFTER))).toBe('take');
  expect(judgeLevel(known, said(null, AFTER))).toBe('take');
});
test('an older one is stale, whatever it says', () => {
  expect(judgeLevel(known, said(6, BEFORE))).toBe('stale');
});
test('of the same second, another value must be asked for', () => {
  expect(judgeLevel(known, said(6))).toBe('same');
  expect(judgeLevel(known, said(5))).toBe('ask');
  expect(judgeLevel(known, said(null))).toBe('ask');
});
test('the end of a level, and every level after it, must be asked for', () => {
  expect(judgeLevel(undefined, said(null, null))).toBe('ask');
  expect(judgeLevel(known, said(null, null))).toBe('ask');
  expect(judgeLevel({ ...known, active: false }, said(6, AFTER))).toBe('ask');
  expect(judgeLevel({ ...known, active: false }, said(6, BEFORE))).toBe('ask');
});
