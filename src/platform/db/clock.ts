/**
 * The service's clock. `system` is the machine's clock. `manual` is kept in the database, survives restarts and moves
 * only by the internal listener. Token lifetimes, deadlines, `…_at` values and signatures all follow the service's
 * clock.
 */
import type { Clock } from '../../kernel/context.ts';
import { instant as instantColumn } from './columns.ts';
import type { WithSystem } from './scope.ts';
import { command, statement } from './statement.ts';

/** Other replicas see a move within this time. */
const REFRESH_MS = 500;
/** After this time every replica has seen a move. */
export const CLOCK_SEEN_MS = 2 * REFRESH_MS;

export interface ServiceClock {
  readonly now: Clock;
  readonly manual: boolean;
  /**
   * Sets a manual clock, also for all replicas. The caller must check whether it may move back.
   *
   * @param onTheWay a later instant follows, so a crash may undo this one
   */
  set(instant: number, onTheWay?: boolean): Promise<void>;
  stop(): void;
}

/** The machine's clock, for leases and timeouts. No other file reads it. */
export const systemNow = (): number => Date.now();

export const systemClock: ServiceClock = {
  now: systemNow,
  manual: false,
  set: async () => {
    throw new Error('the clock is the system’s');
  },
  stop: () => undefined,
};

/** A clock that can be set to past instants until it is released to the machine's time. */
export interface PastClock extends ServiceClock {
  /** From now on the clock is the machine's. */
  release(): void;
}

/**
 * The clock for the demo's past, before the ports open. It stands where it is set, until it follows the system's
 * time.
 */
export function createPastClock(): PastClock {
  let standing: number | undefined;
  return {
    now: () => standing ?? systemNow(),
    manual: false,
    set: async (instant) => {
      standing = instant;
    },
    release: () => {
      standing = undefined;
    },
    stop: () => undefined,
  };
}

const READ = statement({ now: instantColumn })`select now from service_clock`;

/** Opens the manual clock at its stored time, or at `start`, or at the system's time. */
export async function openManualClock(
  withSystem: WithSystem,
  start: string | undefined,
): Promise<ServiceClock> {
  const first = start ?? new Date(systemNow()).toISOString();
  await withSystem('clock', 'single', (db) =>
    db.run(command`insert into service_clock (now) values (${first}) on conflict (one) do nothing`),
  );
  const read = async (): Promise<number> =>
    Date.parse((await withSystem('clock', 'read', (db) => db.one(READ)))?.now ?? first);
  let current = await read();
  // A read that began before a move must not undo the move.
  let moves = 0;
  const timer = setInterval(() => {
    const before = moves;
    read().then(
      (instant) => {
        if (before === moves) current = instant;
      },
      () => undefined,
    );
  }, REFRESH_MS);
  timer.unref();
  return {
    now: () => current,
    manual: true,
    async set(instant, lazyCommit = false) {
      const text = new Date(instant).toISOString();
      moves += 1;
      const move = command`update service_clock set now = ${text}`;
      await withSystem('clock', 'single', (db) => db.run(move), { lazyCommit });
      moves += 1;
      current = instant;
    },
    stop: () => clearInterval(timer),
  };
}
