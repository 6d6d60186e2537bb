/**
 * Waiting for new events: one question to the database for all who wait in this process, however many they are.
 * What it tells is only that there is something new; whoever waits reads it in the seller's own scope.
 */
import { textArray } from '../db/arrays.ts';
import type { WithSystem } from '../db/scope.ts';
import { sql } from '../db/sql.ts';

const LOOK_EVERY_MS = 150;

export interface EventWaiters {
  /**
   * Resolves once the seller has an event after `sequence`, when the time is over, or when the signal says so.
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

const LAST = 'select seller_id, last from event_sequence where seller_id = any($1::text[])';

/** @param leaving aborted when the process is to end: nobody waits any longer then */
export function createEventWaiters(withSystem: WithSystem, leaving: AbortSignal): EventWaiters {
  const waiters = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const sellers = [...new Set([...waiters].map(({ sellerId }) => sellerId))];
    const rows = await withSystem('sequencer', 'read', (db) =>
      db.all<{ seller_id: string; last: bigint }>(sql(LAST, [textArray(sellers)])),
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
      // A database that is away is no reason to end the waiting: the read that follows says so.
      look()
        .catch(() => undefined)
        .finally(() => {
          timer = undefined;
          lookAgain();
        });
    }, LOOK_EVERY_MS);
  }

  return {
    past: (sellerId, sequence, { ms, signal }) =>
      new Promise((resolve) => {
        const ends = AbortSignal.any([signal, leaving, AbortSignal.timeout(Math.ceil(ms))]);
        const wake = (last: bigint): void => {
          waiters.delete(waiter);
          ends.removeEventListener('abort', over);
          resolve(last);
        };
        const over = (): void => wake(sequence);
        const waiter: Waiter = { sellerId, sequence, wake };
        if (ends.aborted) return resolve(sequence);
        ends.addEventListener('abort', over);
        waiters.add(waiter);
        lookAgain();
      }),
  };
}
