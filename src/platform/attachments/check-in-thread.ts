/**
 * Checks files in threads of their own, so that no file holds up the answers of others. A thread starts with the first
 * file and waits for the next. It gets no settings, because its libraries read what strangers have made.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CheckEnd, CheckResult, Wanted } from './check-file.ts';
import { OUT_OF_TIME } from './clean-image.ts';
import { createTurns, tooBusy } from './take-turn.ts';

/** A file on its way into a thread. */
export interface FileOrder {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly wanted: Wanted;
}

/** An image takes up to 200 MB of memory. */
const AT_ONCE = 2;
/** A sound file uses under three seconds of processor time; on a busy machine more time passes. */
const CHECK_LIMITS = { ms: 30_000, processorMs: 10_000 };
const MICROS_PER_MS = 1_000;
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

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** How long a thread has used a processor, in milliseconds. One that has not started yet gives no number. */
const processorMs = (thread: Worker): Promise<number> =>
  thread.cpuUsage().then(
    ({ user, system }) => (user + system) / MICROS_PER_MS,
    () => 0,
  );

/**
 * Checks a file in a thread. One that takes too much is `attachment_unreadable`, and ends the thread.
 *
 * @returns `out_of_time` if the machine has given the thread too little time
 */
async function check(
  thread: Worker,
  bytes: Buffer,
  wanted: Wanted,
  limits: typeof CHECK_LIMITS,
): Promise<CheckEnd> {
  const before = await processorMs(thread);
  const copy = new Uint8Array(bytes);
  thread.postMessage({ bytes: copy, wanted } satisfies FileOrder, [copy.buffer]);
  try {
    const [result] = (await once(thread, 'message', { signal: AbortSignal.timeout(limits.ms) })) as [
      CheckEnd,
    ];
    idle.add(thread);
    return result;
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'AbortError';
    const used = isLate ? (await processorMs(thread)) - before : 0;
    await thread.terminate();
    if (isLate) return used > limits.processorMs ? 'attachment_unreadable' : OUT_OF_TIME;
    if (isOutOfMemory(error)) return 'attachment_unreadable';
    throw error;
  }
}

/**
 * Checks a file, in the seller's turn.
 *
 * @throws ApiError 503 `unavailable`: the machine is busy
 */
export const checkInThread = (
  sellerId: string,
  bytes: Buffer,
  wanted: Wanted,
  limits = CHECK_LIMITS,
): Promise<CheckResult> =>
  takeTurn(sellerId, async () => {
    const [thread = startThread()] = idle;
    idle.delete(thread);
    const result = await check(thread, bytes, wanted, limits);
    if (result === OUT_OF_TIME) throw tooBusy();
    return result;
  });
