import { coreErrors, fail } from '../../../kernel/errors.ts';
import type { Change } from '../domain/plan/changes.ts';
import type { CatalogueProduct, StoredProduct } from '../domain/product.ts';
import { errors } from '../errors.ts';
import { cameIn, offerStock } from '../store/offer-stock.ts';
import { insertChanges } from '../store/product-changes.ts';
import { queueForSearch } from '../store/search-index.ts';
import { insertProducts, updateProducts, writeStock } from '../store/write-products.ts';
import { eventsOf } from './events-of.ts';
import { keepImageFiles } from './keep-image-files.ts';
import type { WriteContext } from './write-context.ts';

/** A product as it was and as it is to be. */
export interface ProductWrite {
  readonly before: StoredProduct | null;
  /** `version` is one above that of before. */
  readonly next: CatalogueProduct;
  readonly changes: readonly Change[];
  /** Word for the history. */
  readonly action: string;
}

/** `reason` is what was said about an adjustment; it is no field of anything. */
const STOCK_FIELDS: ReadonlySet<string> = new Set(['quantity_on_hand', 'reorder_point', 'reason']);

/** Unique indexes that a concurrent writer may have been faster on. */
const BY_INDEX: Readonly<Record<string, keyof typeof errors>> = {
  product_sku: 'sku_exists',
  product_mpn_brand: 'mpn_brand_conflict',
};

function lostRace(error: unknown): unknown {
  const index = error instanceof Error && 'constraint' in error ? String(error.constraint) : '';
  const known = BY_INDEX[index];
  return known === undefined ? error : fail(errors[known]);
}

/** A change of stock alone leaves the product, its version and its source as they are. */
function afterOf({ before, next, changes }: ProductWrite, at: string): StoredProduct {
  const stockMoved = changes.some(({ field }) => STOCK_FIELDS.has(field));
  const stock_version = (before?.stock_version ?? 0) + (stockMoved ? 1 : 0);
  if (before !== null && changes.every(({ field }) => STOCK_FIELDS.has(field))) {
    const { quantity_on_hand, reorder_point } = next;
    return { ...before, quantity_on_hand, reorder_point, stock_version };
  }
  return { ...next, stock_version, created_at: before?.created_at ?? at, updated_at: at };
}

/**
 * Writes products with their stock, history and events, each in one statement. The products of before must
 * be held by this transaction.
 *
 * @returns the products as they are now, in the same order
 * @throws ApiError 409 when a concurrent request took the SKU or the MPN and brand first
 */
export async function saveProducts(
  ctx: WriteContext,
  writes: readonly ProductWrite[],
): Promise<StoredProduct[]> {
  const at = new Date(ctx.now()).toISOString();
  const saved = writes.map((write) => ({ ...write, after: afterOf(write, at) }));
  const created = saved.filter(({ before }) => before === null);
  const updated = saved.filter(({ before, after }) => before !== null && before.version !== after.version);
  const stock = saved.filter(({ before, after }) => (before?.stock_version ?? 0) !== after.stock_version);
  try {
    await insertProducts(
      ctx.db,
      ctx.sellerId,
      created.map(({ after }) => after),
      at,
    );
    const written = await updateProducts(
      ctx.db,
      ctx.sellerId,
      updated.map(({ after }) => after),
      at,
    );
    if (written !== updated.length) throw fail(coreErrors.conflict);
  } catch (error) {
    throw lostRace(error);
  }
  await writeStock(
    ctx.db,
    ctx.sellerId,
    stock.map(({ before, after }) => ({
      ...after,
      sets_quantity: before?.quantity_on_hand !== after.quantity_on_hand,
    })),
    at,
  );
  if (stock.some(({ before, after }) => before !== null && cameIn(before, after)))
    await offerStock(ctx.db, { ...ctx, now: ctx.now() });
  await keepImageFiles(
    ctx,
    updated.map(({ before, after }) => ({ before: before?.images ?? [], after: after.images })),
  );
  await queueForSearch(ctx.db, ctx.sellerId, [...created, ...updated]);
  await insertChanges(
    ctx.db,
    ctx.sellerId,
    ctx.actor,
    at,
    saved.map(({ after, action, changes }) => ({
      product_id: after.product_id,
      version: after.version,
      action,
      changes,
    })),
  );
  await ctx.emit(...saved.flatMap(({ before, after }) => eventsOf(before, after, at)));
  return saved.map(({ after }) => after);
}
