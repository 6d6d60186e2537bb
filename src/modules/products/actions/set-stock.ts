import type { Acting } from '../../../kernel/context.ts';
import { ApiError, coreErrors, fail, invalid, missing } from '../../../kernel/errors.ts';
import { API_COLUMNS } from '../domain/fields/field-columns.ts';
import { validatePatch } from '../domain/fields/validate-patch.ts';
import type { Change } from '../domain/plan/changes.ts';
import type { StoredProduct } from '../domain/product.ts';
import { productNamed } from '../domain/product-id.ts';
import type { RowMessage } from '../domain/row.ts';
import { hasError, rowMessage } from '../domain/row-codes.ts';
import { errors } from '../errors.ts';
import { lockNamedProducts } from '../store/load-products.ts';
import { toProblem } from './problems.ts';
import { type ProductWrite, saveProducts } from './save-products.ts';

export interface StockSetting {
  readonly quantity?: number | null | undefined;
  /** Units on hand that the caller last saw. */
  readonly expected_quantity?: number | null | undefined;
  readonly reorder_point?: number | null | undefined;
}

interface StockWritten {
  readonly product: StoredProduct;
  readonly warnings: readonly RowMessage[];
}

/** A warning when the units on hand are fewer than open orders have reserved. */
export function stockWarnings(product: StoredProduct): RowMessage[] {
  const { quantity_on_hand: quantity, quantity_reserved: reserved } = product;
  if (quantity === null || quantity >= reserved) return [];
  const detail = { column: 'quantity', value: String(quantity), expected: `at least ${reserved}` };
  return [rowMessage('stock_below_reserved', detail)];
}

/**
 * The write that sets a product's stock; `null` when nothing changes.
 *
 * @throws ApiError 409 `stock_mirrored`
 */
export function stockWrite(
  before: StoredProduct,
  after: { readonly quantity_on_hand: number | null; readonly reorder_point: number | null },
  action: string,
): ProductWrite | null {
  if (before.stock_source !== 'own' && before.quantity_on_hand !== after.quantity_on_hand)
    throw fail(errors.stock_mirrored);
  const changes: Change[] = [];
  for (const field of ['quantity_on_hand', 'reorder_point'] as const) {
    if (before[field] !== after[field]) changes.push({ field, before: before[field], after: after[field] });
  }
  if (changes.length === 0) return null;
  return { before, next: { ...before, ...after, version: before.version + 1 }, changes, action };
}

/**
 * Plans the write of a product's stock; `null` when nothing changes.
 *
 * @throws ApiError 409 `quantity_changed`, 422
 */
function planSetting(before: StoredProduct, setting: StockSetting): ProductWrite | null {
  const { quantity, reorder_point, expected_quantity } = setting;
  const { patch, messages } = validatePatch(
    {
      ...(quantity === undefined ? {} : { quantity }),
      ...(reorder_point === undefined ? {} : { reorder_point }),
    },
    { ...API_COLUMNS, fields: { ...API_COLUMNS.fields, quantity: 'quantity' } },
  );
  if (hasError(messages)) throw invalid(messages.map((message) => toProblem(message)));
  if (expected_quantity !== undefined && expected_quantity !== before.quantity_on_hand) {
    throw fail(errors.quantity_changed, {
      facts: { expected_quantity, current_quantity: before.quantity_on_hand },
    });
  }
  return stockWrite(
    before,
    {
      quantity_on_hand: patch.quantity === undefined ? before.quantity_on_hand : patch.quantity,
      reorder_point: patch.reorder_point === undefined ? before.reorder_point : patch.reorder_point,
    },
    'stock_set',
  );
}

/**
 * Sets the stock of one product.
 *
 * @param check throws to reject the request
 * @throws ApiError 404, 409 `quantity_changed`, 422
 */
export async function setStock(
  ctx: Acting,
  { product_id, ...setting }: StockSetting & { readonly product_id: string },
  check: (before: StoredProduct) => void = () => undefined,
): Promise<StockWritten> {
  const [before] = await lockNamedProducts(ctx, { ids: [product_id], skus: [] });
  if (before === undefined) throw fail(coreErrors.not_found);
  check(before);
  const write = planSetting(before, setting);
  const [written] = write === null ? [before] : await saveProducts(ctx, [write]);
  const product = written ?? before;
  return { product, warnings: stockWarnings(product) };
}

export interface StockItem extends StockSetting {
  readonly seller_sku: string;
}

/** The stock of one item is set, or its error says why not. */
type StockOutcome = (StockWritten & { readonly changed: boolean }) | ApiError;

/**
 * Sets the stock of many products by their SKUs, in one transaction. A rejected item does not stop the others.
 *
 * @returns one outcome for each item, in the order of the items
 */
export async function setStocks(ctx: Acting, items: readonly StockItem[]): Promise<StockOutcome[]> {
  const skus = [...new Set(items.map(({ seller_sku }) => seller_sku))];
  const products = await lockNamedProducts(ctx, { ids: [], skus });
  const bySku = new Map(products.map((product) => [product.seller_sku, product]));
  const named = new Set<string>();
  const plans = items.map((item) => {
    const before = bySku.get(item.seller_sku);
    if (before === undefined) return missing(productNamed(item));
    if (named.has(item.seller_sku)) return fail(errors.duplicate_item);
    named.add(item.seller_sku);
    try {
      return { before, write: planSetting(before, item) };
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  });
  const writes = plans.flatMap((plan) => ('write' in plan && plan.write !== null ? [plan.write] : []));
  const saved = new Map((await saveProducts(ctx, writes)).map((product) => [product.product_id, product]));
  return plans.map((plan) => {
    if (plan instanceof ApiError) return plan;
    const product = saved.get(plan.before.product_id) ?? plan.before;
    return { product, warnings: stockWarnings(product), changed: plan.write !== null };
  });
}
