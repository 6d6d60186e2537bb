/** Statements on the table of jobs. Instants are milliseconds; `owner` is the worker that holds a lease. */
import type { Statement } from '../../kernel/context.ts';
import { sql } from '../db/sql.ts';
import { command, type Part } from '../db/statement.ts';
import type { ClaimedJob, NewJob } from './jobs.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

const INSERT =
  'insert into job (job_id, kind, seller_id, payload, unique_key, due_at, created_at) values ($1, $2, $3, $4, $5, $6, $7) ' +
  'on conflict (kind, unique_key) do nothing';

export function insertJob(jobId: string, job: NewJob, now: number): Statement<unknown> {
  const { kind, sellerId = null, payload = {}, uniqueKey = null, dueAt } = job;
  return sql(INSERT, [jobId, kind, sellerId, JSON.stringify(payload), uniqueKey, iso(dueAt), iso(now)]);
}

/** Adds a job of a seller that is due now, if a condition holds when the statement runs. */
export function insertJobIf(
  condition: Part,
  job: { readonly jobId: string; readonly kind: string; readonly sellerId: string; readonly now: number },
): Statement<unknown> {
  const at = new Date(job.now).toISOString();
  return command`
    insert into job (job_id, kind, seller_id, due_at, created_at)
    select ${job.jobId}, ${job.kind}, ${job.sellerId}, ${at}::timestamptz, ${at}::timestamptz
     where ${condition}`;
}

export function deleteUnique(kind: string, uniqueKey: string): Statement<unknown> {
  return sql('delete from job where kind = $1 and unique_key = $2', [kind, uniqueKey]);
}

const CLAIM =
  'update job set lease_until = $2, lease_owner = $3, attempts = attempts + 1 where job_id = any(array(' +
  'select job_id from job where due_at <= $1 and (lease_until is null or lease_until < $4) and kind = any($5) ' +
  'order by due_at, job_id limit $6 for update skip locked)) ' +
  'returning job_id, kind, seller_id, payload, due_at, attempts';

/** Takes jobs that are due at `now`; leases follow the system's clock. */
export function claimJobs(claim: {
  readonly now: number;
  readonly leaseNow: number;
  readonly leaseUntil: number;
  readonly owner: string;
  readonly kinds: readonly string[];
  readonly max: number;
}): Statement<ClaimedJob> {
  const { now, leaseNow, leaseUntil, owner, kinds, max } = claim;
  return sql(CLAIM, [iso(now), iso(leaseUntil), owner, iso(leaseNow), kinds, max]);
}

const OWNED = 'where job_id = $1 and lease_owner = $2';

export function renewLease(jobId: string, owner: string, leaseUntil: number): Statement<unknown> {
  return sql(`update job set lease_until = $3 ${OWNED}`, [jobId, owner, iso(leaseUntil)]);
}

export function endJob(jobId: string, owner: string): Statement<unknown> {
  return sql(`delete from job ${OWNED}`, [jobId, owner]);
}

export function repeatJob(jobId: string, owner: string, dueAt: number): Statement<unknown> {
  const text = `update job set lease_until = null, attempts = 0, last_error = null, due_at = $3 ${OWNED}`;
  return sql(text, [jobId, owner, iso(dueAt)]);
}

export function retryJob(jobId: string, owner: string, dueAt: number, error: string): Statement<unknown> {
  const text = `update job set lease_until = null, due_at = $3, last_error = $4 ${OWNED}`;
  return sql(text, [jobId, owner, iso(dueAt), error]);
}

export function firstDue(kinds: readonly string[]): Statement<{ due_at: string | null }> {
  return sql('select min(due_at) as due_at from job where kind = any($1)', [kinds]);
}
