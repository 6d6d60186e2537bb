import type { Db } from '../../kernel/context.ts';
import { instant, integer, json, nullable, type RowOf, text } from '../db/columns.ts';

/** A job as the service adds it. */
export interface NewJob {
  readonly kind: string;
  readonly sellerId?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** At most one job of a kind has this key. Instead of a second one, the first becomes due or runs again. */
  readonly uniqueKey?: string;
  readonly dueAt: number;
}

/** Recurring jobs return the instant of their next run. */
export type JobHandler = (
  job: ClaimedJob,
  signal: AbortSignal,
) => Promise<{ readonly againAt: number } | undefined>;

export interface HandleOptions {
  /** Whether one run does the work of all runs that were missed. */
  readonly catchesUp?: true | undefined;
  /** Whether a run may take minutes. */
  readonly long?: true | undefined;
  /** Whether a run mostly waits for another system, and shares its statements with others of its kind. */
  readonly asks?: true | undefined;
  /** Milliseconds before the next attempt, after so many. Default: 1 s, 2 s, 4 s … up to an hour. */
  readonly backoffMs?: ((attempts: number) => number) | undefined;
}

export interface RecurringJob {
  readonly kind: string;
  readonly firstDueAt: number;
}

export interface Jobs {
  /** Adds a job. One with the key of a job that exists wakes that one: it runs after the transaction of `db` again. */
  add(db: Db, job: NewJob): Promise<void>;
  /** The same at the end of the transaction. */
  addLater(db: Db, job: NewJob): void;
  cancel(db: Db, kind: string, uniqueKey: string): Promise<void>;
  /** Lets a job wait until an instant. One that runs, or waits longer, stays as it is. */
  postpone(kind: string, uniqueKey: string, until: number): Promise<void>;
  handle(kind: string, handler: JobHandler, options?: HandleOptions): void;
  /** Adds a recurring job unless it exists. */
  ensure(job: RecurringJob): Promise<void>;
  /**
   * Moves the next run of every recurring job to an instant, unless one of them runs: that one would plan its next run
   * itself. Returns how many run.
   */
  planRecurring(dueAt: number): Promise<number>;
  /**
   * Leaves out the runs of the jobs that catch up, until the last hour before an instant, but not of those that run:
   * they plan their next run themselves. Returns how many run.
   */
  postponeCatchingUp(until: number): Promise<number>;
  /** Runs all due jobs in the order of their instants, for the manual clock. @returns the number of runs */
  runDue(): Promise<number>;
  /** The instant of the next job; undefined if there is none. */
  nextDueAt(): Promise<number | undefined>;
  /**
   * Begins to take jobs.
   *
   * @param isBusy whether requests of this process wait. Jobs then begin in fewer places, so that requests are answered
   *   soon; what is late is done afterwards
   */
  start(isBusy: () => boolean): void;
  /** Says that a job was added which is due, so that this process takes it at once and not at its next look. */
  wake(): void;
  /**
   * Waits for running handlers. After `graceMs` their signal is aborted. Other processes take what has not ended then at
   * once: no lease is left.
   */
  stop(graceMs: number): Promise<void>;
}

export const claimed = {
  job_id: text,
  kind: text,
  seller_id: nullable(text),
  payload: json<Readonly<Record<string, unknown>>>(),
  unique_key: nullable(text),
  /** The instant at which it was due, RFC 3339. */
  due_at: instant,
  attempts: integer,
};
export type ClaimedJob = RowOf<typeof claimed>;
