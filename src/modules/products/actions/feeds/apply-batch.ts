/** Writes the plans of a batch: products, evidence and events, each in one statement. */
import type { Acting } from '../../../../kernel/context.ts';
import type { DeclaredEvent } from '../../../../kernel/declared-event.ts';
import { appendBulk } from '../../../../platform/outbox/append.ts';
import { productEventTypes, type StockEventType, stockEventTypes } from '../../domain/event-types.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import type { Change } from '../../domain/plan/changes.ts';
import { withReviewedVersions } from '../../domain/plan/reviewed-version.ts';
import type { CatalogueProduct, StoredProduct } from '../../domain/product.ts';
import type { FeedRow } from '../../domain/row.ts';
import { productEvents, stockEvents } from '../../events.ts';
import { reviewedFields } from '../../settings.ts';
import { offerStock } from '../../store/offer-stock.ts';
import { queueForSearch } from '../../store/search-index.ts';
import { insertProducts, type StockWrite, updateProducts, writeStock } from '../../store/write-products.ts';
import { keepImageFiles } from '../keep-image-files.ts';
import { keepReplacedReviews } from '../keep-replaced-reviews.ts';
import type { PlannedRow } from './plan-batch.ts';

/** Writes events without their objects, which are loaded when the events are read. */
export const emitBulk = (ctx: Acting, events: readonly DeclaredEvent[]): Promise<void> =>
  appendBulk(
    ctx.db,
    { sellerId: ctx.seller_id, ids: ctx.ids, now: ctx.now(), correlation: ctx.correlation },
    events,
  );

export interface RowWrite {
  readonly existing: StoredProduct | null;
  readonly next: CatalogueProduct;
  readonly changes: readonly Change[];
}

const STOCK_FIELDS: ReadonlySet<string> = new Set(['quantity_on_hand', 'reorder_point']);

/** A change of stock alone does not change the product and its version. */
export const isStockOnly = (changes: readonly Change[]): boolean =>
  changes.every(({ field }) => STOCK_FIELDS.has(field));

/** Whether a row changes the stock. */
export const setsStock = (changes: readonly Change[]): boolean =>
  changes.some(({ field }) => STOCK_FIELDS.has(field));

/** @param cellsOf the cells of a rejected row */
export function toEvidence(
  { row, existing, plan, outcome }: PlannedRow,
  cellsOf: (row: FeedRow) => Evidence['cells'],
): Evidence {
  return {
    row_number: row.row_number,
    line_start: row.line_start,
    line_end: row.line_end,
    seller_sku: row.patch?.seller_sku ?? existing?.seller_sku ?? null,
    product_id: plan.next?.product_id ?? existing?.product_id ?? null,
    outcome,
    raw_sha256: row.raw_sha256,
    resolution: plan.identity_resolution,
    changes: plan.changes,
    messages: plan.messages,
    cells: outcome === 'rejected' ? cellsOf(row) : null,
    product_version: plan.next === null || isStockOnly(plan.changes) ? null : plan.next.version - 1,
    part_of: row.part_of ?? null,
  };
}

const changesStock = ({ existing, next }: RowWrite): boolean =>
  next.quantity_on_hand !== (existing?.quantity_on_hand ?? null) ||
  next.reorder_point !== (existing?.reorder_point ?? null);

const eventsOfContent = ({ existing, next }: RowWrite): DeclaredEvent[] =>
  productEventTypes(existing, next, false).map((type) =>
    productEvents[type].bare(next.product_id, next.version),
  );

/** Stock with the types of its events. A run keeps up to a hundred thousand of them until its end, so they are small. */
export interface PendingStock extends StockWrite {
  readonly version: number;
  readonly types: readonly StockEventType[];
}

const pendingStock = ({ existing, next }: RowWrite): PendingStock => ({
  product_id: next.product_id,
  quantity_on_hand: next.quantity_on_hand,
  reorder_point: next.reorder_point,
  sets_quantity: existing?.quantity_on_hand !== next.quantity_on_hand,
  version: (existing?.stock_version ?? 0) + 1,
  types: stockEventTypes(existing, next),
});

const eventsOfStock = ({ product_id, version, types }: PendingStock): DeclaredEvent[] =>
  types.map((type) => stockEvents[type].bare(product_id, version));

/**
 * Writes products and their events.
 *
 * @param setAt from when the stock counts, RFC 3339
 * @returns the stock of existing products, which the run writes last: the intake of orders needs these rows, so a
 *   long run locks them for as short a time as possible
 */
export async function applyWrites(
  ctx: Acting,
  writes: readonly RowWrite[],
  setAt = ctx.at(),
): Promise<PendingStock[]> {
  const created = writes.filter(({ existing }) => existing === null);
  const fields = reviewedFields(ctx.config);
  const updated = writes
    .filter(({ existing, changes }) => existing !== null && !isStockOnly(changes))
    .map((write) => ({ ...write, next: withReviewedVersions(write.existing, write.next, fields) }));
  const changed = updated.map(({ existing, next }) => ({ before: existing, after: next }));
  const stock = writes.filter(changesStock);
  const firstStock = stock.filter(({ existing }) => existing === null).map(pendingStock);
  const nextOf = (of: readonly RowWrite[]) => of.map(({ next }) => next);
  // The statements are sent without waiting for each other: PostgreSQL executes one while the next is built.
  const [, written] = await Promise.all([
    insertProducts(ctx, nextOf(created)),
    updateProducts(ctx, nextOf(updated)),
    emitBulk(ctx, [
      ...[...created, ...updated].flatMap(eventsOfContent),
      ...firstStock.flatMap(eventsOfStock),
    ]),
    queueForSearch(ctx.db, ctx.seller_id, [
      ...nextOf(created).map((after) => ({ before: null, after })),
      ...changed,
    ]),
    writeStock(ctx, firstStock, setAt),
    keepReplacedReviews(ctx, changed),
    keepImageFiles(ctx, changed),
  ]);
  if (written !== updated.length)
    throw new Error(`${updated.length - written} products changed although they were locked`);
  return stock.filter(({ existing }) => existing !== null).map(pendingStock);
}

/** Rows of one stock statement: enough to be fast, few enough for the memory. */
const STOCK_BATCH = 5_000;

interface StockOptions {
  /** From when the stock counts, RFC 3339; default: now. */
  readonly setAt?: string;
  /** Called before each statement; throws to stop the run. */
  readonly checkpoint?: () => Promise<void>;
}

export async function writePendingStock(
  ctx: Acting,
  stock: readonly PendingStock[],
  { setAt = ctx.at(), checkpoint = async () => undefined }: StockOptions = {},
): Promise<void> {
  // All writers lock stock in the order of the ids, so that two of them never deadlock.
  const sorted = stock.toSorted((a, b) => (a.product_id < b.product_id ? -1 : 1));
  for (let from = 0; from < sorted.length; from += STOCK_BATCH) {
    await checkpoint();
    const part = sorted.slice(from, from + STOCK_BATCH);
    // The events are written with the rows: orders may have moved units since the plan, and emitted events.
    await Promise.all([writeStock(ctx, part, setAt), emitBulk(ctx, part.flatMap(eventsOfStock))]);
  }
  if (stock.some(({ sets_quantity }) => sets_quantity)) await offerStock(ctx);
}
