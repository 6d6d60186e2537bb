/**
 * Counts the listings of a seller by their states. A state compares a product with its store, so a list of channels shows
 * what a job has counted, and lets it count again when that is old. Source: docs/design/channels.md#listings.
 */
import { askForJob } from '../../../platform/jobs/ask-for-job.ts';
import type { HandlerCtx, Services } from '../../../platform/services.ts';
import {
  countAfter,
  findCounts,
  type ListingCounts,
  type StateCounts,
  saveCounts,
} from '../store/listing-counts.ts';

export const COUNT_JOB = 'channels.count_listings';
const PRODUCTS_OF_A_PART = 10_000;
/** Counts are old after this time, and after so many times the time that counting took. */
const OLD_MS = 5_000;
const OLD_FACTOR = 20;

const isOld = (known: ListingCounts | undefined, now: number): boolean =>
  known === undefined || now - Date.parse(known.counted_at) > Math.max(OLD_MS, OLD_FACTOR * known.took_ms);

/**
 * What was counted last; undefined: nothing yet. Asking for new figures is no part of the read, which neither waits for it
 * nor fails with it.
 */
export async function readCounts(ctx: HandlerCtx): Promise<ListingCounts | undefined> {
  const { services, seller_id } = ctx;
  const known = await findCounts(ctx);
  if (isOld(known, services.now()))
    askForJob(services, {
      ...{ kind: COUNT_JOB, sellerId: seller_id, uniqueKey: seller_id, dueAt: services.now() },
    });
  return known;
}

export async function countListings(
  { withSellerLong, now }: Services,
  seller_id: string,
  signal: AbortSignal,
): Promise<void> {
  const known = await withSellerLong(seller_id, 'read', (db) => findCounts({ db, seller_id }));
  if (!isOld(known, now())) return;
  const began = performance.now();
  const counts: Record<string, StateCounts> = {};
  for (let after: string | null = ''; after !== null; ) {
    signal.throwIfAborted();
    const from: string = after;
    const parts = await withSellerLong(seller_id, 'read', (db) =>
      countAfter({ db, seller_id }, from, PRODUCTS_OF_A_PART),
    );
    for (const { channel_id, state, count } of parts) {
      const before = counts[channel_id] ?? {};
      counts[channel_id] = { ...before, [state]: (before[state] ?? 0) + count };
    }
    after = parts[0]?.last ?? null;
  }
  const counted_at = new Date(now()).toISOString();
  const took_ms = Math.ceil(performance.now() - began);
  await withSellerLong(seller_id, 'single', (db) =>
    saveCounts({ db, seller_id }, { counts, counted_at, took_ms }),
  );
}
