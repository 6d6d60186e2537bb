/**
 * Moves a manual clock. Time passes as it would have: the clock stops at the instant of each due job, the job
 * runs, and only then does it go on. Source: contract section 8.
 */
import { defineErrors, type ErrorDef, fail } from '../kernel/errors.ts';
import type { ServiceClock } from '../platform/db/clock.ts';
import { LEASE_MS } from '../platform/jobs/jobs.ts';
import type { Services } from '../platform/services.ts';
import { anySeller } from './store/any-seller.ts';

/** A job that another worker holds is waited for; a dead worker's lease ends within this time. */
const HELD_JOB_WAIT_MS = LEASE_MS + 5_000;
const HELD_JOB_POLL_MS = 25;

export const clockErrors: Readonly<Record<'clock_backwards', ErrorDef>> = defineErrors({
  clock_backwards: { status: 409, detail: 'Time moves back only while no seller exists.' },
});

export interface ClockMove {
  /** The service's time after the move. */
  readonly now: string;
  readonly previous: string;
  readonly jobs_run: number;
}

export interface ClockDeps {
  readonly services: Pick<Services, 'jobs' | 'withSystem'>;
  readonly clock: ServiceClock;
}

export type MoveClock = (target: number) => Promise<ClockMove>;

/** Moves run one after another, in the order in which they were asked for. */
export function createMoveClock(deps: ClockDeps): MoveClock {
  let last: Promise<unknown> = Promise.resolve();
  return (target) => {
    const move = last.then(() => moveClock(deps, target));
    last = move.catch(() => undefined);
    return move;
  };
}

async function moveClock({ services, clock }: ClockDeps, target: number): Promise<ClockMove> {
  const before = clock.now();
  const previous = new Date(before).toISOString();
  if (target < before) {
    if (await services.withSystem('clock', 'read', anySeller)) {
      throw fail(clockErrors.clock_backwards, { facts: { now: previous } });
    }
    await clock.set(target);
    return { now: new Date(target).toISOString(), previous, jobs_run: 0 };
  }
  const jobsRun = await runUntil(services.jobs, clock, target);
  await clock.set(target);
  return { now: new Date(target).toISOString(), previous, jobs_run: jobsRun };
}

/** Runs every job that is due up to `target`, also those that appear on the way. */
async function runUntil(jobs: Services['jobs'], clock: ServiceClock, target: number): Promise<number> {
  let count = 0;
  let waited = 0;
  for (;;) {
    const next = await jobs.nextDueAt();
    if (next === undefined || next > target) return count;
    if (next > clock.now()) await clock.set(next);
    const ran = await jobs.runDue();
    count += ran;
    if (ran > 0) {
      waited = 0;
      continue;
    }
    // Due, and yet not ours to run: another worker has it in hand.
    if (waited >= HELD_JOB_WAIT_MS) throw new Error('a due job is held by a worker that does not finish it');
    await new Promise((resolve) => setTimeout(resolve, HELD_JOB_POLL_MS));
    waited += HELD_JOB_POLL_MS;
  }
}
