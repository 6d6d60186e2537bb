/** Statements on the table of jobs. Instants are milliseconds; `owner` is the worker that holds a lease. */

import type { Db, Statement } from '../../kernel/context.ts';
import { isoOf } from '../../kernel/instant.ts';
import { textArray } from '../db/arrays.ts';
import { instant, integer, nullable, type RowOf, text } from '../db/columns.ts';
import { command, type Part, part, statement } from '../db/statement.ts';
import { type ClaimedJob, claimed, type NewJob } from './job.ts';

/** Of a job with a key that exists already, the first one stays as it is. */
const KEEP = part`do nothing`;
/**
 * A job that waits is due at the earlier instant, as if it had never failed, and one that runs runs again. The row
 * stays locked until the transaction ends, so no worker takes the job before it can see the change that asked for it.
 */
const WAKE = part`do update
   set due_at = case when job.lease_until is null then least(job.due_at, excluded.due_at) else job.due_at end,
       attempts = case when job.lease_until is null then 0 else job.attempts end,
       again_at = case when job.lease_until is null then job.again_at
                       else least(job.again_at, excluded.due_at) end`;

export function insertJob(
  jobId: string,
  job: NewJob,
  now: number,
  known: 'wake' | 'keep' = 'wake',
): Statement<never> {
  const { kind, sellerId = null, payload = {}, uniqueKey = null, dueAt } = job;
  return command`
    insert into job (job_id, kind, seller_id, payload, unique_key, due_at, created_at)
    values (${jobId}, ${kind}, ${sellerId}, ${JSON.stringify(payload)}, ${uniqueKey}, ${isoOf(dueAt)}, ${isoOf(now)})
        on conflict (kind, unique_key) ${known === 'wake' ? WAKE : KEEP}`;
}

/** Adds a job of a seller that is due now, if a condition holds when the statement runs. */
export function insertJobIf(
  condition: Part,
  job: { readonly jobId: string; readonly kind: string; readonly sellerId: string; readonly now: number },
): Statement<never> {
  const at = isoOf(job.now);
  return command`
    insert into job (job_id, kind, seller_id, due_at, created_at)
    select ${job.jobId}, ${job.kind}, ${job.sellerId}, ${at}::timestamptz, ${at}::timestamptz
     where ${condition}`;
}

/**
 * Stores things and adds the jobs of their objects, in one statement. A job that waits becomes due, and one that runs
 * runs again. Nothing is added for what `insert` does not store, because it was stored before.
 *
 * The jobs are locked in the order of their keys, byte by byte, as by all who add several of them.
 *
 * @param given a query of what arrived, each with its `id`, and with the `job_id` and `job_key` of its job; without a
 *   key it needs none
 * @param insert stores from the relation `given` what is new, and returns its `id`
 * @returns the ids of what was stored
 */
export function insertWithJobs(
  given: Part,
  insert: Part,
  job: { readonly kind: string; readonly now: number },
): Statement<{ readonly id: string }> {
  const at = isoOf(job.now);
  return statement({ id: text })`
    with given as materialized (${given}),
    stored as (${insert}),
    woken as (
      insert into job (job_id, kind, unique_key, due_at, created_at)
      select distinct on (g.job_key collate "C") g.job_id, ${job.kind}, g.job_key, ${at}::timestamptz, ${at}::timestamptz
        from given g
       where g.job_key is not null
         and g.id in (select id from stored)
       order by g.job_key collate "C"
          on conflict (kind, unique_key) ${WAKE})
    select id
      from stored`;
}

/** Makes jobs with the keys of a query due, as {@link insertWithJobs} does with those that wait. */
export const wakeUnique = (kind: string, keys: Part, now: number): Statement<never> => command`
  update job
     set due_at = case when lease_until is null then least(due_at, ${isoOf(now)}::timestamptz) else due_at end,
         again_at = case when lease_until is null then again_at
                         else least(again_at, ${isoOf(now)}::timestamptz) end
   where job_id = any(array(
         select job_id
           from job
          where kind = ${kind}
            and unique_key in (${keys})
          order by unique_key collate "C"
            for update))`;

/**
 * Deletes jobs of objects whose work another job has done, in a transaction. One stays that a worker has, that is being
 * woken, or whose object still has work. What was stored before a job was locked is seen by the second statement, and
 * who wakes the job afterwards waits and adds a new one; so no work is left without a job.
 *
 * @param stillWaiting a query of the keys of objects that have work
 */
export async function endIdleJobs(
  db: Db,
  { kind, keys }: { readonly kind: string; readonly keys: readonly string[] },
  stillWaiting: Part,
): Promise<number> {
  const idle = await db.all(statement({ job_id: text })`
    select job_id
      from job
     where kind = ${kind}
       and unique_key = any(${textArray(keys)}::text[])
       and lease_until is null
     order by unique_key collate "C"
       for update skip locked`);
  if (idle.length === 0) return 0;
  return db.run(command`
    delete from job
     where job_id = any(${textArray(idle.map(({ job_id }) => job_id))}::text[])
       and unique_key not in (${stillWaiting})`);
}

export const deleteUnique = (kind: string, uniqueKey: string): Statement<never> =>
  command`delete from job where kind = ${kind} and unique_key = ${uniqueKey}`;

/** Makes a job due at an instant if it would be due earlier, unless it runs. */
export const postponeUnique = (kind: string, uniqueKey: string, dueAt: number): Statement<never> => command`
  update job
     set due_at = greatest(due_at, ${isoOf(dueAt)})
   where kind = ${kind}
     and unique_key = ${uniqueKey}
     and lease_until is null`;

/** Moves the jobs with a key unless one of them runs, and counts those that run. */
export const moveUnique = (
  uniqueKey: string,
  dueAt: number,
  leaseNow: number,
): Statement<{ readonly running: number }> => statement({ running: integer })`
  with leased as (
    select count(*)::int as running
      from job
     where unique_key = ${uniqueKey}
       and lease_until >= ${isoOf(leaseNow)}),
  moved as (
    update job
       set due_at = ${isoOf(dueAt)}
      from leased
     where unique_key = ${uniqueKey}
       and leased.running = 0)
  select running
    from leased`;

/**
 * Moves the runs of some kinds of job by whole hours, to the last hour before an instant, unless they run, and counts
 * those that run.
 */
export const postponeJobs = (
  kinds: readonly string[],
  dueAt: number,
  leaseNow: number,
): Statement<{ readonly running: number }> => statement({ running: integer })`
  with moved as (
    update job
       set due_at = due_at
             + floor(extract(epoch from ${isoOf(dueAt)}::timestamptz - due_at) / 3600) * interval '1 hour'
     where kind = any(${kinds})
       and due_at < ${isoOf(dueAt)}
       and coalesce(lease_until < ${isoOf(leaseNow)}, true))
  select count(*)::int as running
    from job
   where kind = any(${kinds})
     and due_at < ${isoOf(dueAt)}
     and lease_until >= ${isoOf(leaseNow)}`;

/**
 * Leases the jobs of some kinds that have been due longest; leases follow the system's clock. It takes the first ones of
 * each kind from an index, and then the first ones of all, so it reads as much however many jobs wait. A job that another
 * worker is taking is left to it.
 *
 * @param held jobs that this process still runs: it does not take them, even if their lease has ended
 */
export function claimJobs({
  now,
  leaseNow,
  leaseUntil,
  owner,
  kinds,
  held,
  max,
}: {
  readonly now: number;
  readonly leaseNow: number;
  readonly leaseUntil: number;
  readonly owner: string;
  readonly kinds: readonly string[];
  readonly held: readonly string[];
  readonly max: number;
}): Statement<ClaimedJob> {
  return statement(claimed)`
    update job
       set lease_until = ${isoOf(leaseUntil)}, lease_owner = ${owner}, attempts = attempts + 1,
           again_at = case when again_at > ${isoOf(now)} then again_at end
     where job_id = any(array(
           select first.job_id
             from unnest(${kinds}::text[]) kind
            cross join lateral (
                  select job_id, due_at
                    from job
                   where job.kind = kind.kind
                     and due_at <= ${isoOf(now)}
                     and (lease_until is null or lease_until < ${isoOf(leaseNow)})
                     and job_id <> all(${held})
                   order by due_at, job_id
                   limit ${max}
                     for update skip locked) first
            order by first.due_at, first.job_id
            limit ${max}))
    returning job_id, kind, seller_id, payload, unique_key, due_at, attempts`;
}

/** A lease that ended and was taken by another worker is no longer the owner's. */
const leasedBy = (jobId: string, owner: string): Part => part`job_id = ${jobId} and lease_owner = ${owner}`;

/** A job that is being woken keeps its lease until the next time: no claim takes a row that is locked. */
export const renewLeases = (jobIds: readonly string[], owner: string, leaseUntil: number): Statement<never> =>
  command`
    update job
       set lease_until = ${isoOf(leaseUntil)}
     where job_id = any(array(
           select job_id
             from job
            where job_id = any(${jobIds})
              and lease_owner = ${owner}
              for update skip locked))`;

export const endJob = (jobId: string, owner: string): Statement<never> =>
  command`delete from job where ${leasedBy(jobId, owner)} and again_at is null`;

/**
 * Ends several, in the order in which those that wake them lock them. One that is being woken is waited for, and does not
 * end.
 *
 * @returns those that have ended
 */
export const endJobs = (
  jobIds: readonly string[],
  owner: string,
): Statement<{ readonly job_id: string }> => statement({ job_id: text })`
  delete from job
   where job_id = any(array(
         select job_id
           from job
          where job_id = any(${textArray(jobIds)}::text[])
          order by unique_key collate "C"
            for update))
     and lease_owner = ${owner}
     and again_at is null
  returning job_id`;

/** Lets a job run again that was asked for while it ran. */
export const runAskedAgain = (jobId: string, owner: string): Statement<never> => command`
  update job
     set lease_until = null, attempts = 0, last_error = null, due_at = again_at, again_at = null
   where ${leasedBy(jobId, owner)}
     and again_at is not null`;

/** The next run is at this instant, or when it was asked for if that is earlier. */
const dueAgain = (dueAt: number): Part => part`
  due_at = least(${isoOf(dueAt)}::timestamptz, again_at),
  again_at = case when again_at > ${isoOf(dueAt)}::timestamptz then again_at end`;

export const repeatJob = (jobId: string, owner: string, dueAt: number): Statement<never> => command`
  update job
     set lease_until = null, attempts = 0, last_error = null, ${dueAgain(dueAt)}
   where ${leasedBy(jobId, owner)}`;

export const retryJob = (
  jobId: string,
  owner: string,
  dueAt: number,
  error: string,
): Statement<never> => command`
  update job
     set lease_until = null, last_error = ${error}, ${dueAgain(dueAt)}
   where ${leasedBy(jobId, owner)}`;

/** Lets other workers take jobs at once that this one has not done. The attempt that was cut off does not count. */
export const returnJobs = (jobIds: readonly string[], owner: string): Statement<never> => command`
  update job
     set lease_until = null, lease_owner = null, attempts = greatest(attempts - 1, 0),
         due_at = least(due_at, again_at), again_at = null
   where job_id = any(array(
         select job_id
           from job
          where job_id = any(${textArray(jobIds)}::text[])
          order by unique_key collate "C"
            for update))
     and lease_owner = ${owner}`;

export const firstDue = (kinds: readonly string[]): Statement<{ readonly due_at: string | null }> =>
  statement({ due_at: nullable(instant) })`
    select min(first.due_at) as due_at
      from unnest(${textArray(kinds)}::text[]) kind
     cross join lateral (
           select min(due_at) as due_at
             from job
            where job.kind = kind.kind) first`;

const KIND_STATE = {
  kind: text,
  waiting: integer,
  running: integer,
  late: integer,
  failed: integer,
  /** The instant at which the first of them is or was due. */
  first_due: instant,
  attempts: integer,
  /** Of the one that was tried most often. */
  last_error: nullable(text),
};
export type KindState = RowOf<typeof KIND_STATE>;

/** The jobs by kind. Instants are milliseconds: leases follow the system's clock, as `now` does in production. */
export const jobsByKind = (now: number, lateBefore: number): Statement<KindState> => statement(KIND_STATE)`
  select kind,
         count(*) filter (where not leased)::int as waiting,
         count(*) filter (where leased)::int as running,
         count(*) filter (where not leased and due_at <= ${isoOf(lateBefore)})::int as late,
         count(*) filter (where last_error is not null)::int as failed,
         min(due_at) as first_due,
         max(attempts) as attempts,
         (array_agg(last_error order by attempts desc) filter (where last_error is not null))[1] as last_error
    from (select *, coalesce(lease_until >= ${isoOf(now)}, false) as leased
            from job) j
   group by kind
   order by kind`;

/** Makes the failed jobs of a kind due, unless they run. */
export const retryFailed = (kind: string, now: number): Statement<never> => command`
  update job
     set due_at = least(due_at, ${isoOf(now)}::timestamptz)
   where kind = ${kind}
     and last_error is not null
     and coalesce(lease_until < ${isoOf(now)}, true)`;
