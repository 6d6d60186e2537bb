import { afterAll, onTestFinished } from 'vitest';

/**
 * Runs `work` when the calling test has ended, or after the last test of the calling file. `afterAll` in a running test
 * would never run, and leave the connections of what the test has started.
 */
export function atEnd(work: () => unknown): void {
  const end = async (): Promise<void> => void (await work());
  try {
    onTestFinished(end);
  } catch {
    // No test is running.
    afterAll(end);
  }
}
