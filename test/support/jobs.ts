/** Jobs of the service. */
import type { TestApp } from './app.ts';
import { eventually } from './feeds.ts';

const TIMEOUT_MS = 60_000;

/**
 * Waits until no job is due. Jobs of the start, such as the close of old periods, must not see the rows that a test
 * writes for other days.
 */
export async function untilJobsRest(...apps: readonly TestApp[]): Promise<void> {
  for (const { app } of apps) {
    const { jobs, now } = app.services;
    await eventually(
      async () => {
        await jobs.runDue();
        return jobs.nextDueAt();
      },
      (next) => next === undefined || next > now(),
      TIMEOUT_MS,
    );
  }
}

/** Like `eventually`. It runs due jobs itself, because the worker looks for them twice a second. */
export const afterJobs = <T>(
  { app }: Pick<TestApp, 'app'>,
  read: () => Promise<T>,
  enough: (value: T) => boolean,
): Promise<T> =>
  eventually(async () => {
    await app.services.jobs.runDue();
    return read();
  }, enough);
