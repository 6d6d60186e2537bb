/**
 * Durable jobs on the service's clock: one claimed table with SKIP LOCKED, leases and heartbeats. A worker
 * that dies is replaced when its lease ends. Handlers must be safe to run twice.
 */
import { hostname } from 'node:os';
import type { Clock, Db, Logger } from '../../kernel/context.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { WithSystem } from '../db/scope.ts';
import { sql } from '../db/sql.ts';

/** Longest time for which the work of a killed worker lies still (contract section 7 asks for 60 s). */
export const LEASE_MS = 30_000;
const HEARTBEAT_MS = 10_000;
const POLL_MS = 500;
const CLAIM_MAX = 8;
const ATTEMPTS_MAX = 25;

export interface NewJob {
  readonly kind: string;
  readonly sellerId?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** Same kind and key: one job; adding it again changes nothing. */
  readonly uniqueKey?: string;
  readonly dueAt: number;
}

export interface ClaimedJob {
  readonly job_id: string;
  readonly kind: string;
  readonly seller_id: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The instant at which it was due, RFC 3339. */
  readonly due_at: string;
  readonly attempts: number;
}

/** Returning an instant runs the job again then: how recurring work is written. */
export type JobHandler = (
  job: ClaimedJob,
  signal: AbortSignal,
) => Promise<{ readonly againAt: number } | undefined>;

export interface RecurringJob {
  readonly kind: string;
  readonly firstDueAt: number;
}

export interface Jobs {
  add(db: Db, job: NewJob): Promise<void>;
  cancel(db: Db, kind: string, uniqueKey: string): Promise<void>;
  handle(kind: string, handler: JobHandler): void;
  /** Makes sure that a recurring job exists. */
  ensure(job: RecurringJob): Promise<void>;
  /** Runs what is due, in order of its instant, until nothing is; for the manual clock. Returns how many ran. */
  runDue(): Promise<number>;
  /** The next instant at which something is due, if anything waits. */
  nextDueAt(): Promise<number | undefined>;
  start(): void;
  /** Waits for running handlers; their signal is aborted after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

const iso = (ms: number): string => new Date(ms).toISOString();

const CLAIM =
  'update job set lease_until = $2, lease_owner = $3, attempts = attempts + 1 where job_id = any(array(' +
  'select job_id from job where due_at <= $1 and (lease_until is null or lease_until < $4) and kind = any($5) ' +
  'order by due_at, job_id limit $6 for update skip locked)) ' +
  'returning job_id, kind, seller_id, payload, due_at, attempts';

interface JobsOptions {
  readonly withSystem: WithSystem;
  readonly ids: Ids;
  readonly now: Clock;
  /** Leases follow the system's clock: a manual clock that stands still must not keep a dead worker's job. */
  readonly systemNow: () => number;
  readonly log: Logger;
}

/** Delay before the next attempt: 1 s, 2 s, 4 s … at most an hour. */
function backoffMs(attempts: number): number {
  return Math.min(3_600_000, 1_000 * 2 ** Math.min(attempts - 1, 12));
}

export function createJobs(options: JobsOptions): Jobs {
  const { withSystem, ids, now, systemNow, log } = options;
  const owner = `${hostname()}:${process.pid}:${ids.next('job')}`;
  const handlers = new Map<string, JobHandler>();
  const running = new Set<Promise<void>>();
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const insert = (job: NewJob) =>
    sql(
      'insert into job (job_id, kind, seller_id, payload, unique_key, due_at, created_at) values ($1, $2, $3, $4, $5, $6, $7) ' +
        'on conflict (kind, unique_key) do nothing',
      [
        ids.next('job'),
        job.kind,
        job.sellerId ?? null,
        JSON.stringify(job.payload ?? {}),
        job.uniqueKey ?? null,
        iso(job.dueAt),
        iso(now()),
      ],
    );

  async function claim(max: number): Promise<ClaimedJob[]> {
    const lease = systemNow();
    const jobs = await withSystem('jobs', 'read', (db) =>
      db.all<ClaimedJob>(
        sql(CLAIM, [iso(now()), iso(lease + LEASE_MS), owner, iso(lease), [...handlers.keys()], max]),
      ),
    );
    return jobs.sort((a, b) =>
      a.due_at === b.due_at ? (a.job_id < b.job_id ? -1 : 1) : a.due_at < b.due_at ? -1 : 1,
    );
  }

  async function settle(
    job: ClaimedJob,
    outcome: { againAt: number } | undefined,
    error: unknown,
  ): Promise<void> {
    const statement =
      error !== undefined
        ? sql(
            'update job set lease_until = null, due_at = $3, last_error = $4 where job_id = $1 and lease_owner = $2',
            [
              job.job_id,
              owner,
              iso(now() + (job.attempts >= ATTEMPTS_MAX ? 86_400_000 : backoffMs(job.attempts))),
              String((error as Error).message).slice(0, 500),
            ],
          )
        : outcome === undefined
          ? sql('delete from job where job_id = $1 and lease_owner = $2', [job.job_id, owner])
          : sql(
              'update job set lease_until = null, attempts = 0, last_error = null, due_at = $3 where job_id = $1 and lease_owner = $2',
              [job.job_id, owner, iso(outcome.againAt)],
            );
    await withSystem('jobs', 'read', (db) => db.run(statement));
  }

  async function run(job: ClaimedJob): Promise<void> {
    const beat = setInterval(() => {
      const renew = sql('update job set lease_until = $3 where job_id = $1 and lease_owner = $2', [
        job.job_id,
        owner,
        iso(systemNow() + LEASE_MS),
      ]);
      withSystem('jobs', 'read', (db) => db.run(renew)).catch((error: Error) =>
        log.warn({ err: error.message, job: job.kind }, 'heartbeat failed'),
      );
    }, HEARTBEAT_MS);
    try {
      const handler = handlers.get(job.kind);
      const outcome = await handler?.(job, abort.signal);
      await settle(job, outcome, undefined);
    } catch (error) {
      log.error(
        { err: (error as Error).message, job: job.kind, job_id: job.job_id, attempts: job.attempts },
        'job failed',
      );
      await settle(job, undefined, error).catch(() => undefined);
    } finally {
      clearInterval(beat);
    }
  }

  async function poll(): Promise<void> {
    const free = CLAIM_MAX - running.size;
    if (free <= 0) return;
    for (const job of await claim(free)) {
      const work: Promise<void> = run(job).finally(() => running.delete(work));
      running.add(work);
    }
  }

  function schedule(): void {
    if (stopped) return;
    timer = setTimeout(() => {
      poll()
        .catch((error: Error) => log.warn({ err: error.message }, 'jobs could not be claimed'))
        .finally(schedule);
    }, POLL_MS);
  }

  return {
    add: async (db, job) => {
      await db.run(insert(job));
    },
    cancel: async (db, kind, uniqueKey) => {
      await db.run(sql('delete from job where kind = $1 and unique_key = $2', [kind, uniqueKey]));
    },
    handle: (kind, handler) => {
      handlers.set(kind, handler);
    },
    ensure: async (job) => {
      await withSystem('jobs', 'read', (db) =>
        db.run(insert({ kind: job.kind, uniqueKey: 'recurring', dueAt: job.firstDueAt })),
      );
    },
    runDue: async () => {
      let count = 0;
      for (;;) {
        const [job] = await claim(1);
        if (job === undefined) return count;
        await run(job);
        count += 1;
      }
    },
    nextDueAt: async () => {
      const row = await withSystem('jobs', 'read', (db) =>
        db.one<{ due_at: string | null }>(
          sql('select min(due_at) as due_at from job where kind = any($1)', [[...handlers.keys()]]),
        ),
      );
      return row?.due_at == null ? undefined : Date.parse(row.due_at);
    },
    start: schedule,
    stop: async (graceMs) => {
      stopped = true;
      clearTimeout(timer);
      const all = Promise.allSettled(running);
      const late = setTimeout(() => abort.abort(), graceMs);
      await all;
      clearTimeout(late);
    },
  };
}
