import { expect, test } from 'vitest';
import { addCounts, countsOf, failedFilesOf, summary } from './test-counts.ts';

function report(
  numbers: Partial<Record<'passed' | 'failed' | 'pending' | 'todo', number>>,
  files: object[] = [],
) {
  return JSON.stringify({
    numPassedTests: numbers.passed ?? 0,
    numFailedTests: numbers.failed ?? 0,
    numPendingTests: numbers.pending ?? 0,
    numTodoTests: numbers.todo ?? 0,
    testResults: files,
  });
}

test('a clean run names no skipped tests when there are none', () => {
  expect(summary(countsOf(report({ passed: 12 }), 0))).toBe('12 passed, 0 failed');
});

test('the summary counts skipped and planned tests', () => {
  expect(summary(countsOf(report({ passed: 3, pending: 2, todo: 1 }), 0))).toBe(
    '3 passed, 0 failed, 3 skipped',
  );
});

test('a file that does not load is a failure although none of its tests failed', () => {
  const files = [
    { status: 'failed', assertionResults: [] },
    { status: 'failed', assertionResults: [{ status: 'failed' }] },
    { status: 'passed', assertionResults: [{ status: 'passed' }] },
  ];
  expect(countsOf(report({ passed: 1, failed: 1 }, files), 1).failed).toBe(2);
});

test('a run that fails outside of any test, or leaves no report, never reads as success', () => {
  expect(countsOf(report({ passed: 5 }), 1)).toEqual({ passed: 5, failed: 1, skipped: 0 });
  expect(countsOf('', 0).failed).toBe(1);
});

test('the files with a failure are named', () => {
  const files = [
    { name: '/a.test.ts', status: 'failed', assertionResults: [{ status: 'failed' }] },
    { name: '/b.test.ts', status: 'passed', assertionResults: [{ status: 'passed' }] },
  ];
  expect(failedFilesOf(report({ passed: 1, failed: 1 }, files))).toEqual(['/a.test.ts']);
  expect(failedFilesOf('')).toEqual([]);
});

test('two runs add up', () => {
  const one = { passed: 1, failed: 2, skipped: 3 };
  expect(addCounts(one, one)).toEqual({ passed: 2, failed: 4, skipped: 6 });
});
