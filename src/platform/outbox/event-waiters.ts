/**
 * Waits for new events. One query serves all waiting requests of the process, however many they are. It reads only
 * the sellers' last numbers; each request then reads its events in its own seller's scope.
 */
import { textArray } from '../db/arrays.ts';
import { bigint, text } from '../db/columns.ts';
import type { WithSystem } from '../db/scope.ts';
import { statement } from '../db/statement.ts';

const LOOK_EVERY_MS = 150;

export interface EventWaiters {
  /**
   * Resolves when the seller has an event after `sequence`, when the time is over, or when the signal is aborted.
   *
   * @returns the last number of the seller, or `sequence` when there is nothing new
   */
  past(
    sellerId: string,
    sequence: bigint,
    wait: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<bigint>;
}

interface Waiter {
  readonly sellerId: string;
  readonly sequence: bigint;
  readonly wake: (last: bigint) => void;
}

/** @param leaving aborted when the process is about to end; every wait ends then */
export function createEventWaiters(withSystem: WithSystem, leaving: AbortSignal): EventWaiters {
  const waiters = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const sellers = [...new Set([...waiters].map(({ sellerId }) => sellerId))];
    const rows = await withSystem('sequencer', 'read', (db) =>
      db.all(statement({ seller_id: text, last: bigint })`
        select seller_id, last
          from event_sequence
         where seller_id = any(${textArray(sellers)}::text[])`),
    );
    const last = new Map(rows.map((row) => [row.seller_id, row.last]));
    for (const waiter of [...waiters]) {
      const head = last.get(waiter.sellerId) ?? 0n;
      if (head > waiter.sequence) waiter.wake(head);
    }
  }

  function lookAgain(): void {
    if (timer !== undefined || waiters.size === 0) return;
    timer = setTimeout(() => {
      // While the database is unreachable the requests go on waiting; their next read reports the failure.
      look()
        .catch(() => undefined)
        .finally(() => {
          timer = undefined;
          lookAgain();
        });
    }, LOOK_EVERY_MS);
  }

  /** @returns the seller's last number, or `sequence` when the wait ended without a newer one */
  function past(
    sellerId: string,
    sequence: bigint,
    { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<bigint> {
    if (signal.aborted || leaving.aborted) return Promise.resolve(sequence);
    return new Promise((resolve) => {
      const wake = (last: bigint): void => {
        clearTimeout(timeout);
        signal.removeEventListener('abort', giveUp);
        waiters.delete(waiter);
        resolve(last);
      };
      const giveUp = (): void => wake(sequence);
      const waiter: Waiter = { sellerId, sequence, wake };
      const timeout = setTimeout(giveUp, Math.ceil(ms));
      signal.addEventListener('abort', giveUp);
      waiters.add(waiter);
      lookAgain();
    });
  }

  leaving.addEventListener('abort', () => {
    for (const waiter of [...waiters]) waiter.wake(waiter.sequence);
  });
  return { past };
}
