/**
 * Moves a manual clock as time would pass: the clock stops at the instant of each due job, the job runs, and then the
 * clock moves on. Source: docs/design/wire.md#manual-clock.
 */
import { defineErrors, type ErrorDef, fail } from '../kernel/errors.ts';
import type { DueSource } from '../kernel/route.ts';
import type { ServiceClock } from '../platform/db/clock.ts';
import { LEASE_MS } from '../platform/jobs/jobs.ts';
import type { Services } from '../platform/services.ts';
import { anySellerExists } from './store/any-seller-exists.ts';

/** How long to wait for a job of another worker; a dead worker's lease ends within this time. */
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
  readonly services: Pick<Services, 'withSystem'>;
  readonly clock: ServiceClock;
  /** Everything that falls due on the service's clock. */
  readonly due: readonly DueSource[];
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

async function moveClock({ services, clock, due }: ClockDeps, target: number): Promise<ClockMove> {
  const before = clock.now();
  const previous = new Date(before).toISOString();
  if (target < before) {
    if (await services.withSystem('clock', 'read', anySellerExists)) {
      throw fail(clockErrors.clock_backwards, { facts: { now: previous } });
    }
    await clock.set(target);
    return { now: new Date(target).toISOString(), previous, jobs_run: 0 };
  }
  const jobsRun = await runUntil(due, clock, target);
  await clock.set(target);
  return { now: new Date(target).toISOString(), previous, jobs_run: jobsRun };
}

/** The source whose next work is due first. */
async function firstOf(
  due: readonly DueSource[],
): Promise<{ readonly at: number; readonly source: DueSource } | undefined> {
  const found = await Promise.all(due.map(async (source) => ({ at: await source.nextDueAt(), source })));
  const waiting = found.flatMap(({ at, source }) => (at === undefined ? [] : [{ at, source }]));
  return waiting.sort((one, other) => one.at - other.at)[0];
}

/** Does everything that is due up to `target`, also what appears on the way. */
async function runUntil(due: readonly DueSource[], clock: ServiceClock, target: number): Promise<number> {
  let count = 0;
  let waited = 0;
  for (;;) {
    const next = await firstOf(due);
    if (next === undefined || next.at > target) return count;
    if (next.at > clock.now()) await clock.set(next.at);
    const ran = await next.source.runDue();
    count += ran;
    if (ran > 0) {
      waited = 0;
      continue;
    }
    // Another worker has the lease of the due job.
    if (waited >= HELD_JOB_WAIT_MS) throw new Error('another worker does not finish a due job');
    await new Promise((resolve) => setTimeout(resolve, HELD_JOB_POLL_MS));
    waited += HELD_JOB_POLL_MS;
  }
}
