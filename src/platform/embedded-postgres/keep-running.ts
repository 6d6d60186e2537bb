import { setTimeout as after } from 'node:timers/promises';
import { reasonOf } from './embedded-server-error.ts';
import { isAlive } from './running-server.ts';

/** An adopted server is no child of this process, so no event reports its end. */
const CHECK_EVERY_MS = 1_000;
/** Before each restart: a killed server is back at once, one that cannot stay up is retried ever more rarely. */
const WAITS_MS: readonly number[] = [0, 1_000, 5_000, 15_000, 30_000];
/** After so long without an end the waits begin anew. */
const STABLE_MS = 600_000;

export interface KeptRunning {
  readonly pid: number;
  /** Resolves with a sentence when the server does not stay up; never rejects. */
  readonly lost: Promise<string>;
  /** Watches the server no longer and leaves it as it is. */
  leave(): Promise<void>;
}

/**
 * Restarts a server that ends, for example killed by the system for want of memory; the pools connect anew. The
 * watch does not keep this process running.
 *
 * @param start restarts it and returns its process number; a failure counts as one more end
 */
export function keepRunning(options: {
  pid: number;
  start: (signal: AbortSignal) => Promise<number>;
  log: (line: string) => void;
  waitsMs?: readonly number[];
}): KeptRunning {
  const { start, log, waitsMs = WAITS_MS } = options;
  const leaving = new AbortController();
  const { signal } = leaving;
  let pid = options.pid;

  async function watch(): Promise<string> {
    for (let restarts = 0; ; restarts += 1) {
      const since = performance.now();
      while (isAlive(pid)) await after(CHECK_EVERY_MS, undefined, { signal, ref: false });
      if (performance.now() - since > STABLE_MS) restarts = 0;
      const ended = `The embedded PostgreSQL (process ${pid}) has ended`;
      const waitMs = waitsMs[restarts];
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
  const watching = watch();
  const never = new Promise<never>(() => undefined);
  return {
    get pid() {
      return pid;
    },
    lost: watching.catch((thrown) => (signal.aborted ? never : reasonOf(thrown))),
    async leave() {
      leaving.abort();
      await watching.catch(() => undefined);
    },
  };
}
