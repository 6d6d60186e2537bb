import { gather } from '../db/gather.ts';
import type { Services } from '../services.ts';
import type { NewJob } from './job.ts';

/** A job of a seller of which one exists at a time. */
type AskedJob = NewJob & Required<Pick<NewJob, 'sellerId' | 'uniqueKey'>>;

const nameOf = ({ kind, uniqueKey }: AskedJob): string => `${kind} ${uniqueKey}`;

/** Adds jobs. Requests that come meanwhile share the next transaction. */
const addTogether = gather<Services, AskedJob, undefined>(async ({ withSystem, jobs }, asked) => {
  const byName = new Map(asked.map((job) => [nameOf(job), job]));
  await withSystem('jobs', 'write', async (db) => {
    for (const [, job] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) jobs.addLater(db, job);
  });
  return asked.map(() => undefined);
});

/**
 * Adds a job that a read finds to be due. The read neither waits for it nor fails with it: a request that holds a
 * connection must not wait for a second one.
 */
export function askForJob(services: Services, job: AskedJob): void {
  addTogether(services, job).catch((error: Error) =>
    services.log.warn({ err: error.message, kind: job.kind }, 'a job cannot be added now'),
  );
}
