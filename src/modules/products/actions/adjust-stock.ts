import { type ApiError, coreErrors, fail, invalid } from '../../../kernel/errors.ts';
import { QUANTITY_MAX } from '../domain/fields/limits.ts';
import type { StoredProduct } from '../domain/product.ts';
import { productIdOf } from '../domain/product-id.ts';
import type { RowMessage } from '../domain/row.ts';
import { errors } from '../errors.ts';
import { holdProducts } from '../store/hold-products.ts';
import { saveProducts } from './save-products.ts';
import { belowReserved, stockWrite } from './set-stock.ts';
import type { WriteContext } from './write-context.ts';

export interface Adjustment {
  readonly product_id?: string | undefined;
  readonly seller_sku?: string | undefined;
  readonly delta: number;
  readonly reason?: string | undefined;
}

export interface Adjusted {
  /** One for each product, in the order in which the adjustments first name them. */
  readonly products: readonly StoredProduct[];
  readonly warnings: readonly RowMessage[];
}

/** What one adjustment makes of the units that the ones before it left. */
function adjusted(quantity: number | null, delta: number, facts: object): number | ApiError {
  if (quantity === null) return fail(errors.quantity_unknown, { facts: { ...facts } });
  const after = quantity + delta;
  if (after < 0)
    return fail(errors.insufficient_stock, { facts: { ...facts, quantity_on_hand: quantity, delta } });
  if (after <= QUANTITY_MAX) return after;
  const index = 'index' in facts ? [Number(facts.index)] : [];
  const loc = ['body', 'adjustments', ...index, 'delta'];
  return invalid([
    { loc, msg: `The stock would be above ${QUANTITY_MAX}.`, type: 'number_range', input: delta },
  ]);
}

/** Products by the names that adjustments use. */
function indexed(products: readonly StoredProduct[]) {
  const byId = new Map(products.map((product) => [product.product_id, product]));
  const bySku = new Map(products.map((product) => [product.seller_sku, product]));
  return ({ product_id, seller_sku }: Adjustment): StoredProduct | undefined => {
    const product = product_id === undefined ? bySku.get(seller_sku ?? '') : byId.get(product_id);
    // Two names of two products are no name.
    return seller_sku !== undefined && product?.seller_sku !== seller_sku ? undefined : product;
  };
}

const namesOf = (texts: readonly (string | undefined)[]): string[] => [
  ...new Set(texts.filter((text) => text !== undefined && text !== '') as string[]),
];

/**
 * Adds to and takes from the stock of many products: all of it or nothing. Never below zero.
 *
 * @throws ApiError 404 for an unknown product, 409 `insufficient_stock`, `quantity_unknown`; `index` says which
 */
export async function adjustStock(ctx: WriteContext, adjustments: readonly Adjustment[]): Promise<Adjusted> {
  const named = adjustments.map((one) =>
    one.product_id === undefined ? one : { ...one, product_id: productIdOf({ product_id: one.product_id }) },
  );
  const held = await holdProducts(ctx.db, {
    ids: namesOf(named.map(({ product_id }) => product_id)),
    skus: namesOf(named.map(({ seller_sku }) => seller_sku)),
  });
  const find = indexed(held);
  const after = new Map<StoredProduct, { quantity: number; reasons: string[] }>();
  for (const [index, adjustment] of named.entries()) {
    const product = find(adjustment);
    if (product === undefined) throw fail(coreErrors.not_found, { facts: { index } });
    const so_far = after.get(product);
    const facts = { index, product_id: product.product_id };
    const quantity = adjusted(so_far?.quantity ?? product.quantity_on_hand, adjustment.delta, facts);
    if (typeof quantity !== 'number') throw quantity;
    const reasons = [
      ...(so_far?.reasons ?? []),
      ...(adjustment.reason === undefined ? [] : [adjustment.reason]),
    ];
    after.set(product, { quantity, reasons });
  }
  const planned = [...after].map(([product, { quantity, reasons }]) => {
    const { reorder_point } = product;
    const write = stockWrite(product, { quantity_on_hand: quantity, reorder_point }, 'stock_adjusted');
    if (write === null || reasons.length === 0) return { product, write };
    const reason = { field: 'reason', before: null, after: reasons.join('; ') };
    return { product, write: { ...write, changes: [...write.changes, reason] } };
  });
  const writes = planned.flatMap(({ write }) => (write === null ? [] : [write]));
  const saved = new Map((await saveProducts(ctx, writes)).map((product) => [product.product_id, product]));
  const products = planned.map(({ product }) => saved.get(product.product_id) ?? product);
  return { products, warnings: products.flatMap(belowReserved) };
}
