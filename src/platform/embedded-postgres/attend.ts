import { setTimeout as after } from 'node:timers/promises';
import { reasonOf } from './embedded-server-error.ts';
import { isAlive } from './postmaster.ts';

/** An adopted server is nobody's child, so its end is not told: it has to be looked for. */
const LOOK_EVERY_MS = 1_000;
/** Before each new start: a killed server is back at once, one that cannot stay up is not asked all the time. */
const WAITS_MS: readonly number[] = [0, 1_000, 5_000, 15_000, 30_000];
/** A server that stood so long has got over what ended it before. */
const STEADY_MS = 600_000;

/** A server that is started again when it ends. */
export interface Attended {
  readonly pid: number;
  /** Resolves with a sentence when it cannot be kept running; never rejects. */
  readonly lost: Promise<string>;
  /** Looks after it no longer; what it is then stays. */
  leave(): Promise<void>;
}

/**
 * Looks after a process without keeping this one running: killed by the system for want of memory, say, it is
 * started again, and the service's pools connect anew.
 *
 * @param start - starts it again and tells its new number; a failure counts as one more end
 */
export function attend(options: {
  pid: number;
  start: (signal: AbortSignal) => Promise<number>;
  log: (line: string) => void;
  waitsMs?: readonly number[];
}): Attended {
  const { start, log, waitsMs = WAITS_MS } = options;
  const leaving = new AbortController();
  const { signal } = leaving;
  let pid = options.pid;

  async function untilLost(): Promise<string> {
    for (let tries = 0; ; tries += 1) {
      const since = performance.now();
      while (isAlive(pid)) await after(LOOK_EVERY_MS, undefined, { signal, ref: false });
      if (performance.now() - since > STEADY_MS) tries = 0;
      const ended = `The embedded PostgreSQL (process ${pid}) has ended`;
      const waitMs = waitsMs[tries];
      if (waitMs === undefined) return `${ended}, and does not stay up when it is started again.`;
      log(`${ended}; it is started again.`);
      await after(waitMs, undefined, { signal, ref: false });
      try {
        pid = await start(signal);
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        log(`The embedded PostgreSQL is not back: ${reasonOf(thrown)}`);
      }
    }
  }
  const watched = untilLost();
  const left = new Promise<never>(() => undefined);
  return {
    get pid() {
      return pid;
    },
    lost: watched.catch((thrown) => (signal.aborted ? left : reasonOf(thrown))),
    async leave() {
      leaving.abort();
      await watched.catch(() => undefined);
    },
  };
}
