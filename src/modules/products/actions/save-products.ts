import type { Acting } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import type { Change } from '../domain/plan/changes.ts';
import type { CatalogueProduct, StoredProduct } from '../domain/product.ts';
import { errors } from '../errors.ts';
import { hasMoreUnits, offerStock } from '../store/offer-stock.ts';
import { insertChanges } from '../store/product-changes.ts';
import { queueForSearch } from '../store/search-index.ts';
import { insertProducts, updateProducts, writeStock } from '../store/write-products.ts';
import { eventsOf } from './events-of.ts';
import { keepImageFiles } from './keep-image-files.ts';

export interface ProductWrite {
  readonly before: StoredProduct | null;
  /** Its `version` is one above that of `before`. */
  readonly next: CatalogueProduct;
  readonly changes: readonly Change[];
  /** One word for the history. */
  readonly action: string;
}

/** `reason` is the seller's text about an adjustment. */
const STOCK_FIELDS: ReadonlySet<string> = new Set(['quantity_on_hand', 'reorder_point', 'reason']);

/** Errors of a write that another request has overtaken, by the unique index that it meets. */
const TAKEN: Readonly<Record<string, keyof typeof errors>> = {
  product_sku: 'sku_exists',
  product_mpn_brand: 'mpn_brand_conflict',
};

function conflictOf(error: unknown): unknown {
  const taken = error instanceof Error && 'constraint' in error ? TAKEN[String(error.constraint)] : undefined;
  return taken === undefined ? error : fail(errors[taken]);
}

/** A change of stock alone leaves the product, its version and its source as they are. */
function afterOf({ before, next, changes }: ProductWrite, at: string): StoredProduct {
  const stockChanged = changes.some(({ field }) => STOCK_FIELDS.has(field));
  const stock_version = (before?.stock_version ?? 0) + (stockChanged ? 1 : 0);
  if (before !== null && changes.every(({ field }) => STOCK_FIELDS.has(field))) {
    const { quantity_on_hand, reorder_point } = next;
    return { ...before, quantity_on_hand, reorder_point, stock_version };
  }
  return { ...next, stock_version, created_at: before?.created_at ?? at, updated_at: at };
}

/**
 * Writes products with their stock, history and events, each in one statement. This transaction must hold locks on
 * the products of `before`.
 *
 * @returns the products as they are now, in the same order
 * @throws ApiError 409 when a concurrent request took the SKU or the MPN and brand first
 */
export async function saveProducts(
  acting: Acting,
  writes: readonly ProductWrite[],
): Promise<StoredProduct[]> {
  const at = acting.at();
  const ctx = { ...acting, at: () => at };
  const saved = writes.map((write) => ({ ...write, after: afterOf(write, at) }));
  const created = saved.filter(({ before }) => before === null);
  const updated = saved.filter(({ before, after }) => before !== null && before.version !== after.version);
  const stock = saved.filter(({ before, after }) => (before?.stock_version ?? 0) !== after.stock_version);
  try {
    await insertProducts(
      ctx,
      created.map(({ after }) => after),
    );
    const written = await updateProducts(
      ctx,
      updated.map(({ after }) => after),
    );
    if (written !== updated.length) throw fail(coreErrors.conflict);
  } catch (error) {
    throw conflictOf(error);
  }
  const setsQuantity = ({ before, after }: (typeof saved)[number]) =>
    before?.quantity_on_hand !== after.quantity_on_hand;
  await writeStock(
    ctx,
    stock.map((write) => ({ ...write.after, sets_quantity: setsQuantity(write) })),
  );
  if (stock.some(({ before, after }) => before !== null && hasMoreUnits(before, after)))
    await offerStock(ctx);
  await keepImageFiles(
    ctx,
    updated.map(({ before, after }) => ({ before: before?.images ?? [], after: after.images })),
  );
  await queueForSearch(ctx.db, ctx.seller_id, [...created, ...updated]);
  await insertChanges(
    ctx,
    saved.map(({ after: { product_id, version }, action, changes }) => ({
      product_id,
      version,
      action,
      changes,
    })),
  );
  await ctx.emit(...saved.flatMap(({ before, after }) => eventsOf(before, after, at)));
  return saved.map(({ after }) => after);
}
