/** Runs rounds of work one after another, with a pause after a round that found none. */
import { setTimeout as rest } from 'node:timers/promises';
import type { Logger } from '../../kernel/context.ts';
import type { WorkLoop } from '../../kernel/route.ts';

/** Pause after a failed round; most often the database is unreachable. */
const RETRY_MS = 1_000;

interface RepeatOptions {
  readonly name: string;
  readonly log: Logger;
  /** Pause after a round that found no work. */
  readonly idleMs: number;
  /** Runs one round. @returns whether there may be more work now */
  readonly round: (signal: AbortSignal) => Promise<boolean>;
}

/** A loop that runs rounds until it is stopped; a failed round is retried. */
export function repeat({ name, log, idleMs, round }: RepeatOptions): WorkLoop {
  const ending = new AbortController();
  const abort = new AbortController();
  let running: Promise<void> = Promise.resolve();

  const once = async (): Promise<number> => {
    try {
      return (await round(abort.signal)) ? 0 : idleMs;
    } catch (error) {
      if (!ending.signal.aborted)
        log.warn({ err: (error as Error).message, loop: name }, 'background loop failed');
      return RETRY_MS;
    }
  };
  const run = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const ms = await once();
      if (ms > 0) await rest(ms, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };
  return {
    start() {
      running = run();
    },
    async stop(graceMs) {
      ending.abort();
      const late = setTimeout(() => abort.abort(), graceMs);
      await running;
      clearTimeout(late);
    },
  };
}
