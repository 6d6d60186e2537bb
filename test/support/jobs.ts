/** Jobs of the service. */
import type { TestApp } from './app.ts';
import { eventually } from './feeds.ts';
import { runOn } from './test-server.ts';

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

/** Begins to count how often workers take jobs of a kind. */
export async function claimsOf(adminUrl: string, kind: string): Promise<() => Promise<number>> {
  await runOn(adminUrl, (client) =>
    client.query(
      `create table job_claim (kind text);
       grant insert on job_claim to public;
       create function note_claim() returns trigger language plpgsql as
         $$ begin insert into job_claim values (new.kind); return null; end $$;
       create trigger note_claim after update on job for each row
         when (old.lease_until is null and new.lease_until is not null) execute function note_claim()`,
    ),
  );
  return () =>
    runOn(adminUrl, async (client) => {
      const { rows } = await client.query<{ claims: number }>(
        'select count(*)::int as claims from job_claim where kind = $1',
        [kind],
      );
      return rows[0]?.claims ?? 0;
    });
}
