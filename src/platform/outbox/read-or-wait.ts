/** Reads the seller's events after a number, and waits when there is none yet. */
import type { EventWaiters } from './event-waiters.ts';

/** Longest that a request may wait for something new, in seconds. */
export const WAIT_SECONDS_MAX = 25;

interface Found {
  readonly rows: readonly unknown[];
  /** The seller's last number at the time of the read. */
  readonly last: bigint;
  /** The read stopped before the end. The answer is sent at once, and the client asks again for the rest. */
  readonly incomplete?: boolean;
}

/** How long a request waits, and until which signal. While it waits it does not count as a request in flight. */
export interface Wait {
  /** 0 reads once. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** @returns undefined at once when too many requests wait already */
  park<T>(wait: () => Promise<T>): Promise<T | undefined>;
}

/**
 * Reads until there is something, the time is over, or the signal is aborted. Holds no connection while it waits.
 *
 * @param after the read returns what comes after this number
 * @param read reads what comes after a number, in one snapshot
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
    // The read has seen all events up to the seller's last number, so only a newer number ends the wait.
    if (found.last > seen) seen = found.last;
    const from = seen;
    const last = await park(() => waiters.past(sellerId, from, { ms: left, signal }));
    if (last === undefined || last <= seen) return found;
  }
}
