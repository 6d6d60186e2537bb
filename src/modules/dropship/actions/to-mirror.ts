/** Finds the listings whose stock differs from what the suppliers say. It locks nothing; the mirror works it out again. */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../kernel/context.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { COUNT_LIFE_MS, mirrorOf } from '../domain/mirror.ts';
import { type ListingRow, liveListings, readTold, type ToldRow } from '../store/listings.ts';
import { mirrored } from './show-listings.ts';

/** Listings that are read, and mirrored, at once. */
const AT_ONCE = 1_000;

function differs(row: ListingRow, told: ToldRow, now: number): boolean {
  const { paused_reasons, available } = mirrorOf(mirrored(row, told), now);
  const { asked_cost_minor: cost, asked_fee_minor: fee, quantity_on_hand, quantity_reserved } = told;
  return (
    quantity_on_hand !== quantity_reserved + available ||
    !isDeepStrictEqual(paused_reasons, row.paused_reasons) ||
    (cost !== null && cost !== row.unit_cost_minor) ||
    (fee !== null && fee !== row.fee_minor)
  );
}

/** @returns the last listing that was read, unless there are no more; and when the first count gets too old */
export async function listingsToMirror(at: SellerDb & { readonly now: Clock }, after: string) {
  const rows = await liveListings(at, after, AT_ONCE);
  const told = await readTold(
    at,
    rows.map(({ listing_id }) => listing_id),
  );
  const now = at.now();
  const known = rows.flatMap((row) => {
    const found = told.get(row.listing_id);
    return found === undefined ? [] : [{ row, told: found }];
  });
  const stale = known.flatMap(({ told: { available_as_of: asOf } }) => {
    const at = asOf === null ? 0 : Date.parse(asOf) + COUNT_LIFE_MS + 1;
    return at > now ? [at] : [];
  });
  return {
    listingIds: known.filter((one) => differs(one.row, one.told, now)).map(({ row }) => row.listing_id),
    staleAt: Math.min(...stale, Number.POSITIVE_INFINITY),
    last: rows.length < AT_ONCE ? null : (rows.at(-1)?.listing_id ?? null),
  };
}
