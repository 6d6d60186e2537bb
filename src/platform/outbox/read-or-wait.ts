/** Reads what follows a number of the seller's events, and waits for it where nothing is there yet. */
import type { EventWaiters } from './event-waiters.ts';

/** Longest that a request may wait for something new, in seconds. */
export const WAIT_SECONDS_MAX = 25;

export interface Found {
  readonly rows: readonly unknown[];
  /** The seller's last number at the time of the read. */
  readonly last: bigint;
  /** The read stopped before the end: the caller has to come back for the rest, and waits for nothing. */
  readonly incomplete?: boolean;
}

/** How a request waits: how long, until which signal, and outside the count of requests in flight. */
export interface Wait {
  /** From 0; 0 reads once. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** @returns undefined, at once, where too many requests wait already */
  park<T>(wait: () => Promise<T>): Promise<T | undefined>;
}

/**
 * Reads until there is something, the time is over, or the signal is aborted. Holds no connection while it waits.
 *
 * @param after the number behind which to look
 * @param read looks behind a number, in one snapshot
 */
export async function readOrWait<Result extends Found>(
  waiters: EventWaiters,
  sellerId: string,
  after: bigint,
  { seconds, signal, park }: Wait,
  read: (after: bigint) => Promise<Result>,
): Promise<Result> {
  const until = performance.now() + seconds * 1000;
  let seen = after;
  for (;;) {
    const found = await read(seen);
    const left = until - performance.now();
    if (found.rows.length > 0 || found.incomplete === true || left <= 0 || signal.aborted) return found;
    // Only a newer number can end the wait: the read has seen all up to the seller's last one.
    if (found.last > seen) seen = found.last;
    const from = seen;
    const last = await park(() => waiters.past(sellerId, from, { ms: left, signal }));
    if (last === undefined || last <= seen) return found;
  }
}
