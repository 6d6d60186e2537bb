import type { Acting } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import type { Change } from '../domain/plan/changes.ts';
import { withReviewedVersions } from '../domain/plan/reviewed-version.ts';
import type { CatalogueProduct, ReviewedField, StoredProduct } from '../domain/product.ts';
import { errors } from '../errors.ts';
import { reviewedFields } from '../settings.ts';
import { hasMoreUnits, offerStock } from '../store/offer-stock.ts';
import { insertChanges } from '../store/product-changes.ts';
import { queueForSearch } from '../store/search-index.ts';
import { insertProducts, updateProducts, writeStock } from '../store/write-products.ts';
import { eventsOf } from './events-of.ts';
import { keepImageFiles } from './keep-image-files.ts';
import { keepReplacedReviews } from './keep-replaced-reviews.ts';
import { shopOf } from './shop-of.ts';

export interface ProductWrite {
  readonly before: StoredProduct | null;
  /** Its `version` is one above that of `before`. */
  readonly next: CatalogueProduct;
  readonly changes: readonly Change[];
  /** One word for the history. */
  readonly action: string;
}

/** `reason` is the seller's reason for an adjustment. */
const STOCK_FIELDS: ReadonlySet<string> = new Set(['quantity_on_hand', 'reorder_point', 'reason']);

/** The error of each unique index, when a concurrent request took the value first. */
const UNIQUE_ERRORS: Readonly<Record<string, keyof typeof errors>> = {
  product_sku: 'sku_exists',
  product_mpn_brand: 'mpn_brand_conflict',
};

function conflictOf(error: unknown): unknown {
  const code =
    error instanceof Error && 'constraint' in error ? UNIQUE_ERRORS[String(error.constraint)] : undefined;
  return code === undefined ? error : fail(errors[code]);
}

/** A change of stock alone does not change the product, its version and its source. */
function afterOf(
  { before, next, changes }: ProductWrite,
  fields: readonly ReviewedField[],
  at: string,
): StoredProduct {
  const stockChanged = changes.some(({ field }) => STOCK_FIELDS.has(field));
  const stock_version = (before?.stock_version ?? 0) + (stockChanged ? 1 : 0);
  if (before !== null && changes.every(({ field }) => STOCK_FIELDS.has(field))) {
    const { quantity_on_hand, reorder_point } = next;
    return { ...before, quantity_on_hand, reorder_point, stock_version };
  }
  const after = withReviewedVersions(before, next, fields);
  const reviewed_at = before?.reviewed_from === after.reviewed_from ? before.reviewed_at : at;
  return { ...after, stock_version, reviewed_at, created_at: before?.created_at ?? at, updated_at: at };
}

/**
 * Writes products, their stock, their history and their events, with one statement for each. The transaction must
 * have locked the products of `before`.
 *
 * @returns the written products, in the same order
 * @throws ApiError 409 when a concurrent request took the SKU or the MPN and brand first
 */
export async function saveProducts(
  acting: Acting,
  writes: readonly ProductWrite[],
): Promise<StoredProduct[]> {
  const [first, ...others] = writes;
  if (first === undefined) return [];
  if (others.length === 0)
    acting.audit({
      target_type: 'product',
      target_id: first.next.product_id,
      changed_fields: first.changes.map(({ field }) => field),
    });
  const at = acting.at();
  const ctx = { ...acting, at: () => at };
  const fields = reviewedFields(acting.config);
  const saved = writes.map((write) => ({ ...write, after: afterOf(write, fields, at) }));
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
  await keepReplacedReviews(ctx, updated);
  await keepImageFiles(ctx, updated);
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
  const shop = await shopOf(ctx);
  await ctx.emit(...saved.flatMap(({ before, after }) => eventsOf(before, after, at, shop)));
  return saved.map(({ after }) => after);
}
