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
      () => jobs.nextDueAt(),
      (next) => next === undefined || next > now(),
      TIMEOUT_MS,
    );
  }
}
