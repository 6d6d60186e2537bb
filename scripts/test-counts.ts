/** The counts of a test run. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of vitest's JSON report that is read (its `JsonTestResults`). */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: ReadonlyArray<{
    name: string;
    status: string;
    assertionResults: ReadonlyArray<{ status: string }>;
  }>;
}

/**
 * Counts a run. A file that could not be loaded and an error outside of any test count as one failure each, so that a
 * broken run never reads as "0 failed".
 *
 * @param text - vitest's JSON report; empty when it wrote none
 * @param exitCode - vitest's
 */
export function countsOf(text: string, exitCode: number): Counts {
  if (text === '') return { passed: 0, failed: 1, skipped: 0 };
  const report: Report = JSON.parse(text);
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  ).length;
  const failed = report.numFailedTests + brokenFiles;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * The paths of the files with a failure.
 *
 * @param text - vitest's JSON report; empty when it wrote none
 */
export function failedFilesOf(text: string): string[] {
  if (text === '') return [];
  const report: Report = JSON.parse(text);
  return report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/** The sum of two runs. */
export function addCounts(one: Counts, other: Counts): Counts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  };
}

/** The last line of a run. */
export function summary({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
