/** One piece of work after another, with a rest where there was nothing to do. */
import { setTimeout as rest } from 'node:timers/promises';
import type { Logger } from '../../kernel/context.ts';
import type { WorkLoop } from '../../kernel/route.ts';

/** After a failure; the database is away, mostly. */
const RECOVER_MS = 1_000;

interface RepeatOptions {
  readonly name: string;
  readonly log: Logger;
  /** How long to rest when the last round found nothing. */
  readonly idleMs: number;
  /** One round; true when there may be more at once. */
  readonly round: (signal: AbortSignal) => Promise<boolean>;
}

/** A loop that repeats rounds until it is stopped; a round that fails is tried again. */
export function repeat({ name, log, idleMs, round }: RepeatOptions): WorkLoop {
  const ending = new AbortController();
  const abort = new AbortController();
  let running: Promise<void> = Promise.resolve();

  const once = async (): Promise<number> => {
    try {
      return (await round(abort.signal)) ? 0 : idleMs;
    } catch (error) {
      if (!ending.signal.aborted) log.warn({ err: (error as Error).message, loop: name }, 'a round failed');
      return RECOVER_MS;
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
