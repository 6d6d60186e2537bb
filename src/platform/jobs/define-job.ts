import type { AnyJob } from '../../kernel/route.ts';
import type { Services } from '../services.ts';
import type { ClaimedJob, JobHandler } from './job.ts';

interface JobDef {
  readonly kind: string;
  readonly recurring: boolean;
  readonly catchesUp?: true;
  /** A run may take minutes: such jobs have places of their own. */
  readonly long?: true;
  /** A run mostly waits for another system, and shares its statements with others: such jobs have more places. */
  readonly asks?: true;
  /** Instant of the first run of a recurring job; default: the first start. */
  readonly firstAt?: (now: number) => number;
  readonly backoffMs?: (attempts: number) => number;
  readonly handler: (services: Services, job: ClaimedJob, signal: AbortSignal) => ReturnType<JobHandler>;
}

/** Declares a kind of job of a module. Its handler must be safe to run twice. */
export function defineJob(job: JobDef): AnyJob {
  return job as AnyJob;
}

const DAY_MS = 86_400_000;

/**
 * When a recurring job runs again. A manual clock stops at every due job, so there no job runs more than once a day: a
 * clock that is moved by a year must not stop at every hour of it.
 *
 * @param everyMs milliseconds between two runs
 */
export const runAgain = (
  { now, config }: Pick<Services, 'now' | 'config'>,
  everyMs: number,
): { readonly againAt: number } => ({
  againAt: now() + (config.CLOCK === 'manual' ? Math.max(everyMs, DAY_MS) : everyMs),
});

/** Registers a declared kind of job with the worker. */
export function registerJob(services: Services, job: AnyJob): void {
  const { kind, handler, catchesUp, long, asks, backoffMs } = job as JobDef;
  services.jobs.handle(kind, (claimed, signal) => handler(services, claimed, signal), {
    catchesUp,
    long,
    asks,
    backoffMs,
  });
}
