/**
 * Moves a manual clock as time would pass: the clock stops at the instant of each due job, the job runs, and then the
 * clock moves on. Source: docs/design/wire.md#manual-clock.
 */
import { setTimeout as after } from 'node:timers/promises';
import { defineErrors, type ErrorDef, fail } from '../kernel/errors.ts';
import type { DueSource } from '../kernel/route.ts';
import { CLOCK_SEEN_MS, type ServiceClock } from '../platform/db/clock.ts';
import { LEASE_MS } from '../platform/jobs/jobs.ts';
import type { Services } from '../platform/services.ts';
import { anySellerExists } from './store/any-seller-exists.ts';

/** How long to wait for a job of another worker; a dead worker's lease ends within this time. */
const HELD_JOB_WAIT_MS = LEASE_MS + 5_000;
const HELD_JOB_POLL_MS = 25;

const clockErrors: Readonly<Record<'clock_backwards', ErrorDef>> = defineErrors({
  clock_backwards: { status: 409, detail: 'Time moves back only while no seller exists.' },
});

interface ClockMove {
  /** The service's time after the move. */
  readonly now: string;
  readonly previous: string;
  readonly jobs_run: number;
}

interface ClockDeps {
  readonly services: Pick<Services, 'withSystem' | 'jobs'>;
  readonly clock: ServiceClock;
  /** All sources of work that becomes due on the service's clock. */
  readonly due: readonly DueSource[];
}

type MoveClock = (target: number) => Promise<ClockMove>;

/** Makes the function that moves the clock. Moves run one after another, in the order of the requests. */
export function createMoveClock(deps: ClockDeps): MoveClock {
  let last: Promise<unknown> = Promise.resolve();
  return (target) => {
    const move = last.then(() => moveClock(deps, target));
    last = move.catch(() => undefined);
    return move;
  };
}

async function moveClock({ services, clock, due }: ClockDeps, target: number): Promise<ClockMove> {
  const before = clock.now();
  const previous = new Date(before).toISOString();
  const empty = !(await services.withSystem('clock', 'read', anySellerExists));
  if (target < before && !empty) throw fail(clockErrors.clock_backwards, { facts: { now: previous } });
  if (target < before) {
    await clock.set(target);
    // A replica that has not seen the move still plans jobs at the later time.
    await after(CLOCK_SEEN_MS);
    await untilNoneRuns(() => services.jobs.planRecurring(target));
    return { now: new Date(target).toISOString(), previous, jobs_run: 0 };
  }
  // Without sellers no job has work on the way, so the recurring jobs run once, at the end.
  if (empty) await untilNoneRuns(() => services.jobs.planRecurring(target));
  else await untilNoneRuns(() => services.jobs.postponeCatchingUp(target));
  const jobsRun = await runUntil(due, clock, target);
  await clock.set(target);
  return { now: new Date(target).toISOString(), previous, jobs_run: jobsRun };
}

/** Plans recurring jobs, again and again until none of them runs: one that runs would plan its next run itself. */
async function untilNoneRuns(plan: () => Promise<number>): Promise<void> {
  for (let waited = 0; (await plan()) > 0; waited += HELD_JOB_POLL_MS) {
    if (waited >= HELD_JOB_WAIT_MS) throw new Error('another worker does not finish a recurring job');
    await after(HELD_JOB_POLL_MS);
  }
}

/** The source whose next work is due first. */
async function firstOf(
  due: readonly DueSource[],
): Promise<{ readonly at: number; readonly source: DueSource } | undefined> {
  const found = await Promise.all(due.map(async (source) => ({ at: await source.nextDueAt(), source })));
  const waiting = found.flatMap(({ at, source }) => (at === undefined ? [] : [{ at, source }]));
  return waiting.sort((one, other) => one.at - other.at)[0];
}

/** Does all work that is due up to `target`, including work that becomes due on the way. */
async function runUntil(due: readonly DueSource[], clock: ServiceClock, target: number): Promise<number> {
  let count = 0;
  let waited = 0;
  for (;;) {
    const next = await firstOf(due);
    if (next === undefined || next.at > target) return count;
    if (next.at > clock.now()) await clock.set(next.at, true);
    const ran = await next.source.runDue();
    count += ran;
    if (ran > 0) {
      waited = 0;
      continue;
    }
    // Another worker has the lease of the due job.
    if (waited >= HELD_JOB_WAIT_MS) throw new Error('another worker does not finish a due job');
    await after(HELD_JOB_POLL_MS);
    waited += HELD_JOB_POLL_MS;
  }
}
