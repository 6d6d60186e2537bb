/**
 * Checks files in threads of their own, so that no file holds up the answers of others. A thread starts with the first
 * file and waits for the next. It gets no settings, because its libraries read what strangers have made.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CheckResult, Wanted } from './check-file.ts';
import { createTurns } from './take-turn.ts';

/** A file on its way into a thread. */
export interface FileOrder {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly wanted: Wanted;
}

/** An image takes up to 200 MB of memory. */
const AT_ONCE = 2;
/** A sound file takes less than three seconds. */
const MS_MAX = 30_000;
const HEAP_MB_MAX = 512;

const takeTurn = createTurns(AT_ONCE);
const idle = new Set<Worker>();

function startThread(): Worker {
  const thread = new Worker(new URL('./file-thread.ts', import.meta.url), {
    ...{ env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX } },
  });
  // It keeps no process alive, and ends none.
  thread.unref();
  thread.on('error', () => idle.delete(thread));
  return thread;
}

/** A file has taken too much time or memory. */
const isTooMuch = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'AbortError' || ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'));

/**
 * Checks a file, in the seller's turn. One that takes too much is `attachment_unreadable`, and ends the thread.
 *
 * @throws ApiError 503 `unavailable`
 */
export const checkInThread = (sellerId: string, bytes: Buffer, wanted: Wanted): Promise<CheckResult> =>
  takeTurn(sellerId, async () => {
    const [thread = startThread()] = idle;
    idle.delete(thread);
    const copy = new Uint8Array(bytes);
    thread.postMessage({ bytes: copy, wanted } satisfies FileOrder, [copy.buffer]);
    try {
      const signal = AbortSignal.timeout(MS_MAX);
      const [result] = (await once(thread, 'message', { signal })) as [CheckResult];
      idle.add(thread);
      return result;
    } catch (error) {
      await thread.terminate();
      if (isTooMuch(error)) return 'attachment_unreadable';
      throw error;
    }
  });
