import { expect, test } from 'vitest';
import { minor } from '../../../kernel/money.ts';
import { passedMarks, uncovered } from './debt.ts';

test.each([
  ['2026-08-16', [], []],
  ['2026-08-17', [], [30]],
  ['2026-09-15', [30], []],
  ['2026-09-16', [30], [60]],
  ['2026-09-16', [], [30, 60]],
  ['2027-01-13', [30, 60], []],
  ['2027-01-14', [30, 60], [180]],
  ['2027-05-01', [30, 60, 180], []],
] as const)('below zero since 18 July, on %s with marks %j known: %j is due', (today, known, due) => {
  expect(passedMarks('2026-07-18', today, known)).toEqual(due);
});

test.each([
  ['nothing owed', 500, 500, 0],
  ['nothing else there', -500, -500, 500],
  ['some of it covered by what is held back', -500, -200, 200],
  ['all of it covered', -500, 0, 0],
  ['more than covered', -500, 900, 0],
])('%s', (_what, payable, owed, loss) => {
  expect(uncovered(minor(payable), minor(owed))).toBe(minor(loss));
});
