/** Reading what comes after a number of the seller's events, and waiting for it where nothing is there yet. */
import type { EventWaiters } from './event-waiters.ts';

/** Longest that a request may wait for something new, in seconds. */
export const WAIT_SECONDS_MAX = 25;

/** What a read has found, and the last number that the seller had then. */
interface Found {
  readonly rows: readonly unknown[];
  readonly last: bigint;
}

/**
 * Reads until there is something, the time is over, or the signal says so.
 *
 * @param after the number behind which to look
 * @param wait seconds from 0; 0 reads once
 * @param read looks behind a number, in one snapshot
 */
export async function readOrWait<Result extends Found>(
  waiters: EventWaiters,
  sellerId: string,
  after: bigint,
  wait: { readonly seconds: number; readonly signal: AbortSignal },
  read: (after: bigint) => Promise<Result>,
): Promise<Result> {
  const { seconds, signal } = wait;
  const until = performance.now() + seconds * 1000;
  let seen = after;
  for (;;) {
    const found = await read(seen);
    const left = until - performance.now();
    if (found.rows.length > 0 || left <= 0 || signal.aborted) return found;
    // What has come in the meantime was not asked for: only what is newer can end the waiting.
    if (found.last > seen) seen = found.last;
    const head = await waiters.past(sellerId, seen, { ms: left, signal });
    if (head <= seen) return found;
  }
}
