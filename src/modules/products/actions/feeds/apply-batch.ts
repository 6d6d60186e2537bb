/** Writes what a batch was planned to do: products, evidence and events, each in one statement. */
import type { Db } from '../../../../kernel/context.ts';
import type { DeclaredEvent } from '../../../../kernel/declared-event.ts';
import type { Ids } from '../../../../kernel/ids.ts';
import { appendBulk, type Correlation } from '../../../../platform/outbox/append.ts';
import { productEventTypes, stockEventTypes } from '../../domain/event-types.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import type { Change } from '../../domain/plan/changes.ts';
import type { CatalogueProduct, StoredProduct } from '../../domain/product.ts';
import { insertEvidence } from '../../store/feed-rows.ts';
import { offerStock } from '../../store/offer-stock.ts';
import { queueForSearch } from '../../store/search-index.ts';
import { insertProducts, type StockWrite, updateProducts, writeStock } from '../../store/write-products.ts';
import { keepImageFiles } from '../keep-image-files.ts';
import type { PlannedRow } from './plan-batch.ts';

export interface ApplyContext {
  readonly sellerId: string;
  readonly runId: string;
  readonly ids: Ids;
  /** Instant of the run on the service's clock. */
  readonly now: number;
  readonly correlation: Correlation;
}

export interface ProductWrite {
  readonly existing: StoredProduct | null;
  readonly next: CatalogueProduct;
  readonly changes: readonly Change[];
}

const STOCK_FIELDS: ReadonlySet<string> = new Set(['quantity_on_hand', 'reorder_point']);

/** A change of stock alone leaves the product and its version as they are. */
export const isStockOnly = (changes: readonly Change[]): boolean =>
  changes.every(({ field }) => STOCK_FIELDS.has(field));

/** Evidence of a planned row. */
export function toEvidence({ row, existing, plan, outcome }: PlannedRow): Evidence {
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
    cells: outcome === 'rejected' ? (row.cells ?? null) : null,
    product_version: plan.next === null || isStockOnly(plan.changes) ? null : plan.next.version - 1,
    part_of: row.part_of ?? null,
  };
}

const stockChanged = ({ existing, next }: ProductWrite): boolean =>
  next.quantity_on_hand !== (existing?.quantity_on_hand ?? null) ||
  next.reorder_point !== (existing?.reorder_point ?? null);

function productEvents({ existing, next }: ProductWrite): DeclaredEvent[] {
  const place = { object_id: next.product_id, object_version: next.version };
  return productEventTypes(existing, next, false).map((type) => ({ type, ...place }));
}

const stockWrite = ({ existing, next }: ProductWrite): StockWrite => ({
  product_id: next.product_id,
  quantity_on_hand: next.quantity_on_hand,
  reorder_point: next.reorder_point,
  sets_quantity: existing?.quantity_on_hand !== next.quantity_on_hand,
});

/** Stock with what is told of it; a run may hold a hundred thousand of them until its end. */
export interface ToldStock extends StockWrite {
  readonly version: number;
  readonly types: readonly string[];
}

const toldStock = (write: ProductWrite): ToldStock => ({
  ...stockWrite(write),
  version: (write.existing?.stock_version ?? 0) + 1,
  types: stockEventTypes(write.existing, write.next),
});

const stockEvents = ({ product_id: object_id, version: object_version, types }: ToldStock): DeclaredEvent[] =>
  types.map((type) => ({ type, object_id, object_version }));

/**
 * Writes products and their events, and returns the stock that is to be written last: order intake needs the
 * stock of products that it can see, so a long run holds those rows as shortly as possible.
 */
export async function applyWrites(
  db: Db,
  context: ApplyContext,
  writes: readonly ProductWrite[],
): Promise<ToldStock[]> {
  const at = new Date(context.now).toISOString();
  const created = writes.filter(({ existing }) => existing === null);
  const updated = writes.filter(({ existing, changes }) => existing !== null && !isStockOnly(changes));
  const stock = writes.filter(stockChanged);
  const [firstStock, laterStock] = [
    stock.filter(({ existing }) => existing === null),
    stock.filter(({ existing }) => existing !== null),
  ];
  const events = [
    ...[...created, ...updated].flatMap(productEvents),
    ...firstStock.flatMap((write) => stockEvents(toldStock(write))),
  ];
  // Sent one behind the other without waiting: PostgreSQL works on one while the next is put together.
  const [, written] = await Promise.all([
    insertProducts(
      db,
      context.sellerId,
      created.map(({ next }) => next),
      at,
    ),
    updateProducts(
      db,
      context.sellerId,
      updated.map(({ next }) => next),
      at,
    ),
    queueForSearch(
      db,
      context.sellerId,
      [...created, ...updated].map(({ existing, next }) => ({ before: existing, after: next })),
    ),
    appendBulk(db, context, events),
    writeStock(db, context.sellerId, firstStock.map(stockWrite), at),
    keepImageFiles(
      { db, now: () => context.now },
      updated.map(({ existing, next }) => ({ before: existing?.images ?? [], after: next.images })),
    ),
  ]);
  if (written !== updated.length)
    throw new Error(`${updated.length - written} products moved although they were held`);
  return laterStock.map(toldStock);
}

export async function writeEvidence(
  db: Db,
  context: ApplyContext,
  rows: readonly PlannedRow[],
): Promise<void> {
  await insertEvidence(db, context.sellerId, context.runId, rows.map(toEvidence));
}

/** Rows of one stock statement: large enough to be fast, small enough to stay in memory. */
const STOCK_BATCH = 5_000;

/** @param checkpoint called before each statement; throws to stop the run */
export async function flushStock(
  db: Db,
  context: ApplyContext,
  stock: readonly ToldStock[],
  checkpoint: () => Promise<void> = async () => undefined,
): Promise<void> {
  const at = new Date(context.now).toISOString();
  // In one order overall, so that two writers never wait for each other in a circle.
  const sorted = [...stock].sort((a, b) => (a.product_id < b.product_id ? -1 : 1));
  for (let from = 0; from < sorted.length; from += STOCK_BATCH) {
    await checkpoint();
    const part = sorted.slice(from, from + STOCK_BATCH);
    // The events behind the rows: orders may have moved a product's units since it was planned, and told of it.
    await Promise.all([
      writeStock(db, context.sellerId, part, at),
      appendBulk(db, context, part.flatMap(stockEvents)),
    ]);
  }
  if (stock.some(({ sets_quantity }) => sets_quantity)) await offerStock(db, context);
}
