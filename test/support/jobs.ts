/** What the service does by itself. */
import type { TestApp } from './app.ts';
import { eventually } from './feeds.ts';

const PATIENCE_MS = 60_000;

/**
 * Waits until nothing is due any more: what the service does at its start, the close of old periods among it, must
 * not find what a test writes for other days.
 */
export async function untilJobsRest(...apps: readonly TestApp[]): Promise<void> {
  for (const { app } of apps) {
    const { jobs, now } = app.services;
    await eventually(
      () => jobs.nextDueAt(),
      (next) => next === undefined || next > now(),
      PATIENCE_MS,
    );
  }
}
