/**
 * Durable jobs on the service's clock, in one table. Workers lease them with SKIP LOCKED and renew the leases. If a
 * worker dies, another one takes its jobs at the end of the lease. Handlers must be safe to run twice.
 */

import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Db, Logger, Statement } from '../../kernel/context.ts';
import type { Ids } from '../../kernel/ids.ts';
import { gather } from '../db/gather.ts';
import type { WithSystem } from '../db/scope.ts';
import { inTrace, readTrace, storedTrace } from '../trace/trace-context.ts';
import { passThrough, type Tracer } from '../trace/tracer.ts';
import type { ClaimedJob, HandleOptions, JobHandler, Jobs, NewJob, RecurringJob } from './job.ts';
import {
  claimJobs,
  deleteUnique,
  endJob,
  endJobs,
  firstDue,
  insertJob,
  moveUnique,
  postponeJobs,
  postponeUnique,
  renewLeases,
  repeatJob,
  retryJob,
  returnJobs,
  runAskedAgain,
} from './job-statements.ts';
import { byInstant, ofOneInstant } from './jobs-of-one-instant.ts';
import { runBySeller } from './run-by-seller.ts';

/** The longest delay of a killed worker's jobs (docs/design/architecture.md#jobs allows 60 s). */
export const LEASE_MS = 30_000;
const HEARTBEAT_MS = 10_000;
const POLL_MS = 500;
/** Jobs that end, or are added, within this time cost one claim. */
const GATHER_MS = 5;
const CLAIM_MAX = 8;
/** Claimed at once for the manual clock, which runs them in their order. */
const DUE_MAX = 50;
/** Places for long jobs, beside those of the others: so reading large stores does not hold up payments. */
const LONG_MAX = 2;
/** Places for jobs that mostly wait for another system. Those that wait together share the statements before and after. */
const ASKING_MAX = 256;
const ATTEMPTS_MAX = 25;
/** Handlers that were aborted have this time to roll back. */
const ABORTED_MS = 250;
/** A claim or an end that a crash of the database undoes lets a job run again, which is safe. */
const LAZILY = { lazyCommit: true } as const;
/** The unique key of every recurring job. */
const RECURRING = 'recurring';

interface JobsOptions {
  readonly withSystem: WithSystem;
  readonly ids: Ids;
  readonly now: Clock;
  /**
   * Leases use the system's clock, because on a manual clock that stands still a dead worker's lease would never end.
   */
  readonly systemNow: () => number;
  readonly log: Logger;
  /** Default: no spans are recorded. */
  readonly tracer?: Tracer;
}

const DAY_MS = 86_400_000;
const ERROR_CHARS_MAX = 500;

/** Delay before the next attempt: 1 s, 2 s, 4 s … up to an hour; a day after many attempts. */
function backoffMs(attempts: number): number {
  return attempts >= ATTEMPTS_MAX ? DAY_MS : Math.min(3_600_000, 1_000 * 2 ** Math.min(attempts - 1, 12));
}

/** Jobs that share the places of a process. */
interface Lane {
  readonly name: 'short' | 'asking' | 'long';
  readonly max: number;
  /** Places while requests wait for the database. */
  readonly yielding: number;
  readonly running: Set<Promise<void>>;
  /** The last look for jobs. */
  claim?: Promise<ClaimedJob[]>;
  /** Until the next look. */
  timer?: NodeJS.Timeout | undefined;
  /** Whether a job was added since the last look began. */
  woken?: boolean;
}

/** Until the next look, after one that has found no more. */
const pauseOf = ({ woken }: Lane): number => (woken === true ? GATHER_MS : POLL_MS);

class JobTable implements Jobs {
  private readonly options: JobsOptions;
  private readonly owner: string;
  private readonly handlers = new Map<string, JobHandler>();
  private readonly backoffs = new Map<string, (attempts: number) => number>();
  private readonly catchingUp = new Set<string>();
  /** Of kinds that are not short. */
  private readonly laneOf = new Map<string, Lane['name']>();
  private readonly lanes: readonly Lane[] = [
    { name: 'short', max: CLAIM_MAX, yielding: 2, running: new Set() },
    { name: 'asking', max: ASKING_MAX, yielding: 4, running: new Set() },
    { name: 'long', max: LONG_MAX, yielding: 1, running: new Set() },
  ];
  /** The claimed jobs that are not settled; those of a manual clock wait for one another. */
  private readonly held = new Set<string>();
  /** Jobs whose handlers have ended because of the stop. */
  private readonly aborted = new Set<string>();
  private beat: NodeJS.Timeout | undefined;
  private readonly abort = new AbortController();
  private stopped = false;
  private isBusy: () => boolean = () => false;

  constructor(options: JobsOptions) {
    this.options = options;
    this.owner = `${hostname()}:${process.pid}:${options.ids.next('job_')}`;
  }

  async add(db: Db, job: NewJob): Promise<void> {
    await db.run(this.insert(job));
  }

  addLater(db: Db, job: NewJob): void {
    db.later(this.insert(job));
  }

  private insert(job: NewJob): Statement<never> {
    const { ids, now } = this.options;
    const traced = { ...job, payload: { ...job.payload, ...storedTrace() } };
    return insertJob(ids.next('job_'), traced, now());
  }

  async cancel(db: Db, kind: string, uniqueKey: string): Promise<void> {
    await db.run(deleteUnique(kind, uniqueKey));
  }

  async postpone(kind: string, uniqueKey: string, until: number): Promise<void> {
    await this.options.withSystem('jobs', 'single', (db) => db.run(postponeUnique(kind, uniqueKey, until)));
  }

  handle(
    kind: string,
    handler: JobHandler,
    { catchesUp, long, asks, backoffMs: own }: HandleOptions = {},
  ): void {
    this.handlers.set(kind, handler);
    if (long) this.laneOf.set(kind, 'long');
    if (asks) this.laneOf.set(kind, 'asking');
    if (catchesUp) this.catchingUp.add(kind);
    if (own !== undefined) this.backoffs.set(kind, own);
  }

  async ensure({ kind, firstDueAt }: RecurringJob): Promise<void> {
    const { ids, now, withSystem } = this.options;
    const job = { kind, uniqueKey: RECURRING, dueAt: firstDueAt };
    const statement = insertJob(ids.next('job_'), job, now(), 'keep');
    await withSystem('jobs', 'single', (db) => db.run(statement));
  }

  async planRecurring(dueAt: number): Promise<number> {
    const { withSystem, systemNow } = this.options;
    const statement = moveUnique(RECURRING, dueAt, systemNow());
    const row = await withSystem('jobs', 'single', (db) => db.one(statement));
    return row?.running ?? 0;
  }

  async postponeCatchingUp(until: number): Promise<number> {
    const { withSystem, systemNow } = this.options;
    const statement = postponeJobs([...this.catchingUp], until, systemNow());
    const row = await withSystem('jobs', 'single', (db) => db.one(statement));
    return row?.running ?? 0;
  }

  async runDue(): Promise<number> {
    const run = (job: ClaimedJob): Promise<void> => this.run(job);
    for (let count = 0; ; ) {
      const jobs = await this.claim([...this.handlers.keys()], DUE_MAX);
      if (jobs.length === 0) return count;
      for (const together of ofOneInstant(jobs, this.keyOf)) await runBySeller(together, run, this.keyOf);
      count += jobs.length;
    }
  }

  /** Jobs of one seller run one after another, and one that catches up beside all; null for one that runs alone. */
  private readonly keyOf = ({ seller_id, kind }: ClaimedJob): string | null =>
    seller_id ?? (this.catchingUp.has(kind) ? kind : null);

  async nextDueAt(): Promise<number | undefined> {
    const statement = firstDue([...this.handlers.keys()]);
    const row = await this.options.withSystem('jobs', 'read', (db) => db.one(statement));
    return row?.due_at == null ? undefined : Date.parse(row.due_at);
  }

  start(isBusy: () => boolean): void {
    this.isBusy = isBusy;
    for (const lane of this.lanes) this.pollSoon(lane, POLL_MS);
  }

  private pollSoon(lane: Lane, delayMs: number): void {
    if (this.stopped) return;
    lane.timer = setTimeout(async () => {
      lane.timer = undefined;
      lane.woken = false;
      const isMore = await this.poll(lane).catch((error: Error) => {
        this.options.log.warn({ err: error.message }, 'jobs could not be claimed');
        return false;
      });
      this.pollSoon(lane, isMore ? 0 : pauseOf(lane));
    }, delayMs);
  }

  wake(): void {
    for (const lane of this.lanes) {
      if (lane.name === 'long' || lane.woken === true) continue;
      lane.woken = true;
      if (lane.timer === undefined) continue;
      clearTimeout(lane.timer);
      this.pollSoon(lane, GATHER_MS);
    }
  }

  async stop(graceMs: number): Promise<void> {
    this.stopped = true;
    for (const { timer } of this.lanes) clearTimeout(timer);
    await Promise.allSettled(this.lanes.map(({ claim }) => claim));
    const ended = new AbortController();
    const all = Promise.allSettled(this.lanes.flatMap(({ running }) => [...running]));
    const late = async (): Promise<void> => {
      await delay(graceMs, undefined, { signal: ended.signal });
      this.abort.abort();
      await delay(ABORTED_MS, undefined, { signal: ended.signal });
    };
    await Promise.race([all, late().catch(() => undefined)]);
    ended.abort();
    await this.returnHeld();
  }

  /** A handler that still runs is cut off soon, when the pool closes; its lease is no longer its own. */
  private async returnHeld(): Promise<void> {
    const { withSystem, log } = this.options;
    const left = [...this.held, ...this.aborted];
    clearInterval(this.beat);
    this.beat = undefined;
    if (left.length === 0) return;
    const statement = returnJobs(left, this.owner);
    await withSystem('jobs', 'single', (db) => db.run(statement)).catch((error: Error) =>
      log.warn({ err: error.message, jobs: left.length }, 'jobs wait for the end of their leases'),
    );
  }

  private async claim(kinds: readonly string[], max: number): Promise<ClaimedJob[]> {
    const { withSystem, now, systemNow } = this.options;
    const leaseNow = systemNow();
    const statement = claimJobs({
      now: now(),
      leaseNow,
      leaseUntil: leaseNow + LEASE_MS,
      owner: this.owner,
      kinds,
      held: [...this.held],
      max,
    });
    const jobs = await withSystem('jobs', 'single', (db) => db.all(statement), LAZILY);
    for (const { job_id } of jobs) this.held.add(job_id);
    if (jobs.length > 0) this.beat ??= setInterval(() => this.renewLeases(), HEARTBEAT_MS);
    return jobs.sort(byInstant);
  }

  private renewLeases(): void {
    const { withSystem, systemNow, log } = this.options;
    const renewal = renewLeases([...this.held], this.owner, systemNow() + LEASE_MS);
    withSystem('jobs', 'single', (db) => db.run(renewal)).catch((error: Error) =>
      log.warn({ err: error.message, jobs: this.held.size }, 'heartbeat failed'),
    );
  }

  private letGo(job: ClaimedJob): void {
    this.held.delete(job.job_id);
    if (this.held.size > 0) return;
    clearInterval(this.beat);
    this.beat = undefined;
  }

  private async settle(job: ClaimedJob, outcome: { againAt: number } | undefined): Promise<void> {
    const { job_id, kind } = job;
    const isTogether = outcome === undefined && this.laneOf.get(kind) === 'asking';
    if (isTogether && (await endTogether(this, job_id))) return;
    const settled = async (db: Db): Promise<void> => {
      if (outcome !== undefined) await db.run(repeatJob(job_id, this.owner, outcome.againAt));
      else if ((await db.run(endJob(job_id, this.owner))) === 0)
        await db.run(runAskedAgain(job_id, this.owner));
    };
    await this.options.withSystem('jobs', 'single', settled, LAZILY);
  }

  /** Ends those of some jobs that nothing has asked for again. @returns whether it has ended each */
  async endAll(jobIds: readonly string[]): Promise<boolean[]> {
    const statement = endJobs(jobIds, this.owner);
    const { withSystem } = this.options;
    const rows = await withSystem('jobs', 'single', (db) => db.all(statement), LAZILY);
    const ended = new Set(rows.map(({ job_id }) => job_id));
    return jobIds.map((id) => ended.has(id));
  }

  private async settleFailed(job: ClaimedJob, error: Error): Promise<void> {
    const { withSystem, log, now } = this.options;
    const { job_id, kind, attempts } = job;
    log.error({ err: error.message, job: kind, job_id, attempts }, 'job failed');
    const dueAt = now() + (this.backoffs.get(kind) ?? backoffMs)(attempts);
    const statement = retryJob(job_id, this.owner, dueAt, error.message.slice(0, ERROR_CHARS_MAX));
    // If this fails too, the lease ends and a worker takes the job again.
    await withSystem('jobs', 'single', (db) => db.run(statement)).catch(() => undefined);
  }

  private async run(job: ClaimedJob): Promise<void> {
    const { tracer = passThrough } = this.options;
    const handler = this.handlers.get(job.kind);
    const span = tracer.begin('job', readTrace(job.payload['traceparent']));
    const facts = { 'job.kind': job.kind, 'job.attempt': job.attempts };
    try {
      await this.settle(job, await inTrace(span?.trace, async () => handler?.(job, this.abort.signal)));
      span?.end(`job ${job.kind}`, facts, undefined);
    } catch (error) {
      span?.end(`job ${job.kind}`, facts, 'job_failed');
      if (this.abort.signal.aborted) this.aborted.add(job.job_id);
      else await this.settleFailed(job, error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.letGo(job);
    }
  }

  /** Starts due jobs. @returns whether more may be due, after one of them has ended */
  private async poll(lane: Lane): Promise<boolean> {
    const { name, max, yielding, running } = lane;
    const kinds = [...this.handlers.keys()].filter((kind) => (this.laneOf.get(kind) ?? 'short') === name);
    const free = (this.isBusy() ? yielding : max) - running.size;
    if (free <= 0 || kinds.length === 0) return false;
    lane.claim = this.claim(kinds, free);
    const claimed = await lane.claim;
    if (this.stopped) return false;
    for (const job of claimed) {
      const work: Promise<void> = this.run(job).finally(() => running.delete(work));
      running.add(work);
    }
    if (claimed.length < free) return false;
    await Promise.race(running);
    // Otherwise each job that ends costs a claim of one.
    await delay(GATHER_MS);
    return true;
  }
}

/** Jobs that asked another system together mostly end together. */
const endTogether = gather<JobTable, string, boolean>((jobs, ids) => jobs.endAll(ids));

/** The jobs of this process. It takes none before `start`. */
export function createJobs(options: JobsOptions): Jobs {
  return new JobTable(options);
}
