import { setTimeout as after } from 'node:timers/promises';
import { reasonOf } from './embedded-server-error.ts';
import { isAlive } from './running-server.ts';

/** How often an adopted server is checked. It is not a child of this process, so no event reports its end. */
const CHECK_EVERY_MS = 1_000;
/** The pauses before restarts. The first one is short; a server that ends again and again is restarted more rarely. */
const WAITS_MS: readonly number[] = [0, 1_000, 5_000, 15_000, 30_000];
/** If the server runs for this time, the next restart has the first pause again. */
const STABLE_MS = 600_000;

interface KeptRunning {
  readonly pid: number;
  /** Resolves with a sentence if the server ends repeatedly. It never rejects. */
  readonly lost: Promise<string>;
  /** Stops watching the server and does not stop it. */
  leave(): Promise<void>;
}

/**
 * Restarts a server that ends, for example because the system has killed it for lack of memory. The pools then connect
 * again. The watch does not keep this process running.
 *
 * @param start restarts the server and returns its process number; a failure counts as another end
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
