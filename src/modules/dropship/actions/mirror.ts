/**
 * Brings listings and the stock of their products to what the suppliers say. It locks listings, then their stock, and
 * reads what was told and promised only then; so every placement is before the lock and counted, or after the write.
 * Source: docs/design/supply.md#mirror.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Acting } from '../../../kernel/context.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { holdStock, setUnits } from '../../products/index.ts';
import { mirrorOf } from '../domain/mirror.ts';
import { listingEvents } from '../events.ts';
import { type ListingRow, listings, lockListings, readTold, type ToldRow } from '../store/listings.ts';
import { mirrored, showListings } from './show-listings.ts';

export const MIRROR_JOB = 'dropship.mirror';

/** Mirrors all listings of the seller soon. */
export const mirrorSoon = (ctx: Acting): Promise<void> =>
  ctx.jobs.add({ kind: MIRROR_JOB, uniqueKey: ctx.seller_id, dueAt: ctx.now() });

/** The history of a product names who has counted it. */
const SUPPLIER = 'supplier';

type Edit = (row: ListingRow) => Partial<ListingRow>;

/** What changes of a listing, besides the edit. */
function changeOf(row: ListingRow, told: ToldRow, now: number): Partial<ListingRow> {
  const { paused_reasons } = mirrorOf(mirrored(row, told), now);
  const { asked_cost_minor: unit_cost_minor, asked_fee_minor: fee_minor } = told;
  return {
    paused_reasons,
    status: paused_reasons.length > 0 ? 'paused' : 'active',
    ...(unit_cost_minor !== null && fee_minor !== null && { unit_cost_minor, fee_minor }),
  };
}

async function saveListing(ctx: Acting, before: ListingRow, change: Partial<ListingRow>, told: ToldRow) {
  const isNew = before.version === 0;
  if (!isNew && isDeepStrictEqual({ ...before, ...change }, before)) return;
  const after = await writeVersion(listings, ctx, before, change);
  // Its own event tells of a listing that is being created.
  if (isNew) return;
  const of = new Map([[before.listing_id, told]]);
  const [[object], [was]] = await Promise.all([
    showListings(ctx, [after], of),
    showListings(ctx, [before], of),
  ]);
  if (object === undefined || was === undefined) return;
  if (before.status !== after.status)
    await ctx.emit(listingEvents[after.status === 'paused' ? 'paused' : 'resumed'].of(object));
  if (!isDeepStrictEqual(object.cost, was.cost)) {
    const { cost, margin_minor, margin_bps } = was;
    await ctx.emit(listingEvents.costChanged.of(object, { previous: { cost, margin_minor, margin_bps } }));
  }
}

/** @param edit further changes of each listing */
export async function mirror(
  ctx: Acting,
  listingIds: readonly string[],
  edit: Edit = () => ({}),
): Promise<void> {
  const rows = await lockListings(ctx, listingIds);
  const products = rows.map(({ product_id }) => product_id);
  const held = new Map(
    (await holdStock(ctx.db, ctx.seller_id, products, ctx.at())).map((stock) => [stock.product_id, stock]),
  );
  const told = await readTold(ctx, listingIds);
  const now = ctx.now();
  const counted = [];
  for (const row of rows) {
    const known = told.get(row.listing_id);
    const stock = held.get(row.product_id);
    if (known === undefined || stock === undefined) continue;
    const edited = { ...row, ...edit(row) };
    const { available } = mirrorOf(mirrored(edited, known), now);
    counted.push({ before: stock, on_hand: stock.quantity_reserved + available });
    await saveListing(ctx, row, { ...edit(row), ...changeOf(edited, known, now) }, known);
  }
  await setUnits(ctx, counted, SUPPLIER, 'supplier');
}
