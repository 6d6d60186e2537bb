/** Creates, changes and ends listings. */
import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, fail, invalid, requireFound } from '../../../kernel/errors.ts';
import { minor } from '../../../kernel/money.ts';
import { moveRefused } from '../../../kernel/moves.ts';
import { lockName } from '../../../platform/db/lock-name.ts';
import { firstVersion, writeVersion } from '../../../platform/db/table.ts';
import { changeStockSource, holdStock, readProductBody, writeProduct } from '../../products/index.ts';
import { itemsOf, supplierOf, supplyErrors } from '../../supply/index.ts';
import { listingMachine } from '../domain/listing-machine.ts';
import { dropshipErrors } from '../errors.ts';
import { listingEvents } from '../events.ts';
import { BUFFER_DEFAULT, type ListingBody, type WireListing } from '../schemas/listing.ts';
import { emptyAt, type ListingRow, listings, unitsWithSupplier } from '../store/listings.ts';
import { mirror } from './mirror.ts';
import { showListings } from './show-listings.ts';

type Item = Awaited<ReturnType<typeof itemsOf>>[number];

/** @throws ApiError 404, 409 `item_discontinued`, `not_for_dropship`, `currency_mismatch` */
async function findItem(ctx: SellerCtx, supplier_item_id: string) {
  const [item] = await itemsOf(ctx.db, [supplier_item_id]);
  const supplier = item && (await supplierOf(ctx.db, item.supplier_id));
  if (item === undefined || supplier === undefined) throw fail(coreErrors.not_found);
  if (item.status !== 'active') throw fail(supplyErrors.item_discontinued, { facts: { supplier_item_id } });
  const { dropship } = item;
  if (dropship === null) throw fail(dropshipErrors.not_for_dropship);
  const { currency } = supplier;
  const { currency: seller_currency } = await ctx.standing();
  if (currency !== seller_currency)
    throw fail(supplyErrors.currency_mismatch, { facts: { currency, seller_currency } });
  return { item, dropship };
}

/** Makes a draft of a product with the texts and the GTIN of the item. @throws ApiError 402, 409, 422 */
async function draftProduct(
  ctx: SellerCtx,
  item: Item,
  given: NonNullable<ListingBody['product']>,
): Promise<string> {
  const identity =
    item.gtin14 === null ? {} : { identity: { strategy: 'global_id', global_id: item.gtin14 } };
  const { title, description, brand, category } = item;
  const draft = { title, description, brand, category, ...identity, ...given, status: 'draft' as const };
  const { product } = await writeProduct(ctx, { mode: 'create_only', ...readProductBody(draft) });
  return product.product_id;
}

/** @throws ApiError 422 unless the body has one of `product_id` and `product` */
async function productOf(ctx: SellerCtx, item: Item, { product_id, product }: ListingBody): Promise<string> {
  if (product_id !== undefined && product === undefined) return product_id;
  if (product !== undefined && product_id === undefined) return draftProduct(ctx, item, product);
  const msg = 'Send either `product_id`, or `product` to make a draft.';
  throw invalid([{ loc: ['body', 'product_id'], msg, type: 'missing' }]);
}

export const shownListing = async (ctx: SellerCtx, row: ListingRow): Promise<WireListing> =>
  requireFound((await showListings(ctx, [row]))[0]);

export const readListing = (ctx: SellerCtx, listing_id: string): Promise<ListingRow | undefined> =>
  listings.find(ctx, { listing_id });

/**
 * Locks what the creation of listings needs. Every writer locks stock in the order of the ids, and two requests that name
 * the same items or products in other orders would wait for each other.
 */
export async function holdListed(ctx: SellerCtx, bodies: readonly ListingBody[]): Promise<void> {
  await lockName(ctx.db, `dropship_listing/${ctx.seller_id}`);
  const ids = [...new Set(bodies.flatMap(({ product_id }) => product_id ?? []))];
  if (ids.length > 0) await holdStock(ctx.db, ctx.seller_id, ids, ctx.at());
}

/** @throws ApiError 402, 404, 409, 422 */
export async function createListing(ctx: SellerCtx, body: ListingBody): Promise<WireListing> {
  const { item, dropship } = await findItem(ctx, body.supplier_item_id);
  const product_id = await productOf(ctx, item, body);
  const listing_id = ctx.ids.next('dsl_');
  const row: ListingRow = {
    ...{ listing_id, product_id, supplier_item_id: item.supplier_item_id, supplier_id: item.supplier_id },
    ...{ status: 'active', paused_reasons: [], buffer_units: body.buffer_units ?? BUFFER_DEFAULT },
    ...{ unit_cost_minor: minor(dropship.unit_cost_minor), fee_minor: minor(dropship.fee_minor) },
    // The mirror writes the first version.
    ...{ empty_at: await emptyAt(ctx, item.supplier_item_id), ...firstVersion(ctx.at()), version: 0 },
  };
  if (!(await listings.insert(ctx, row))) throw fail(dropshipErrors.already_listed);
  await changeStockSource(ctx, product_id, 'supplier', listing_id);
  await mirror(ctx, [listing_id]);
  const created = await shownListing(ctx, requireFound(await readListing(ctx, listing_id)));
  await ctx.emit(listingEvents.created.of(created));
  return created;
}

interface Asked {
  readonly listing_id: string;
  /** Throws unless the listing has the version of the request. */
  readonly check: (row: ListingRow) => void;
}

/** Locks a live listing. @throws ApiError 404, 409 `invalid_transition`, 412 */
async function lockLive(
  ctx: SellerCtx,
  { listing_id, check }: Asked,
  event: ListingMove,
): Promise<ListingRow> {
  const row = requireFound(await listings.find(ctx, { listing_id }, 'for update'));
  check(row);
  if (!listingMachine.allows(event, row.status)) throw moveRefused(listingMachine, event, row.status);
  return row;
}
type ListingMove = 'pause' | 'resume' | 'end';

/** Changes a live listing, and its stock with it. */
export async function changeListing(
  ctx: SellerCtx,
  asked: Asked,
  event: ListingMove,
  edit: (row: ListingRow) => Partial<ListingRow>,
): Promise<WireListing> {
  const { listing_id } = await lockLive(ctx, asked, event);
  await mirror(ctx, [listing_id], edit);
  return shownListing(ctx, requireFound(await readListing(ctx, listing_id)));
}

const without = ({ paused_reasons }: ListingRow) => paused_reasons.filter((one) => one !== 'by_seller');
export const pausedBySeller = (row: ListingRow): Partial<ListingRow> => ({
  paused_reasons: ['by_seller', ...without(row)],
});
export const resumedBySeller = (row: ListingRow): Partial<ListingRow> => ({ paused_reasons: without(row) });

/** Hands the count back to the seller. @throws ApiError 404, 409 `open_dropship_units`, `invalid_transition`, 412 */
export async function endListing(ctx: SellerCtx, asked: Asked): Promise<WireListing> {
  const row = await lockLive(ctx, asked, 'end');
  const { listing_id, product_id } = row;
  await changeStockSource(ctx, product_id, 'own', listing_id);
  // Read under the lock of the stock, after every placement that the listing has seen.
  const units = await unitsWithSupplier(ctx, product_id);
  if (units > 0) throw fail(dropshipErrors.open_dropship_units, { facts: { units } });
  const after = await writeVersion(listings, ctx, row, { status: 'ended', paused_reasons: [] });
  const ended = await shownListing(ctx, after);
  await ctx.emit(listingEvents.ended.of(ended));
  return ended;
}
