import type { Acting } from '../../../kernel/context.ts';
import { type ApiError, fail, invalid, missing } from '../../../kernel/errors.ts';
import { QUANTITY_MAX } from '../domain/fields/limits.ts';
import type { StoredProduct } from '../domain/product.ts';
import { productIdOf, productNamed } from '../domain/product-id.ts';
import type { RowMessage } from '../domain/row.ts';
import { errors } from '../errors.ts';
import { lockNamedProducts } from '../store/load-products.ts';
import { saveProducts } from './save-products.ts';
import { stockWarnings, stockWrite } from './set-stock.ts';

export interface Adjustment {
  readonly product_id?: string | undefined;
  readonly seller_sku?: string | undefined;
  readonly delta: number;
  readonly reason?: string | undefined;
}

interface Adjusted {
  /** Each product once, in the order of the adjustments. */
  readonly products: readonly StoredProduct[];
  readonly warnings: readonly RowMessage[];
}

function quantityAfter(
  quantity: number | null,
  delta: number,
  facts: object,
  loc: readonly (string | number)[],
): number | ApiError {
  if (quantity === null) return fail(errors.quantity_unknown, { facts: { ...facts } });
  const after = quantity + delta;
  if (after < 0)
    return fail(errors.insufficient_stock, { facts: { ...facts, quantity_on_hand: quantity, delta } });
  if (after <= QUANTITY_MAX) return after;
  return invalid([
    { loc, msg: `The stock must be at most ${QUANTITY_MAX}.`, type: 'number_range', input: delta },
  ]);
}

function productFinder(products: readonly StoredProduct[]) {
  const byId = new Map(products.map((product) => [product.product_id, product]));
  const bySku = new Map(products.map((product) => [product.seller_sku, product]));
  return ({ product_id, seller_sku }: Adjustment): StoredProduct | undefined => {
    const product = product_id === undefined ? bySku.get(seller_sku ?? '') : byId.get(product_id);
    // An id and a SKU must name the same product.
    return seller_sku !== undefined && product?.seller_sku !== seller_sku ? undefined : product;
  };
}

const distinct = (texts: readonly (string | undefined)[]): string[] => [
  ...new Set(texts.filter((text) => text !== undefined && text !== '') as string[]),
];

/**
 * Adds units to the stock of products and removes units from it: all adjustments or none.
 *
 * @param listed whether the body has a list of them, or one adjustment without a list
 * @throws ApiError 404 for an unknown product, 409 `insufficient_stock`, `quantity_unknown`, with `index`
 */
export async function adjustStock(
  ctx: Acting,
  adjustments: readonly Adjustment[],
  listed: boolean,
): Promise<Adjusted> {
  const named = adjustments.map((one) =>
    one.product_id === undefined ? one : { ...one, product_id: productIdOf({ product_id: one.product_id }) },
  );
  const locked = await lockNamedProducts(ctx, {
    ids: distinct(named.map(({ product_id }) => product_id)),
    skus: distinct(named.map(({ seller_sku }) => seller_sku)),
  });
  const find = productFinder(locked);
  const after = new Map<StoredProduct, { quantity: number; reasons: string[] }>();
  for (const [index, adjustment] of named.entries()) {
    const product = find(adjustment);
    if (product === undefined) throw missing(productNamed(adjustment), { index });
    const earlier = after.get(product);
    const facts = { index, product_id: product.product_id };
    const loc = ['body', ...(listed ? ['adjustments', index] : []), 'delta'];
    const before = earlier?.quantity ?? product.quantity_on_hand;
    const quantity = quantityAfter(before, adjustment.delta, facts, loc);
    if (typeof quantity !== 'number') throw quantity;
    const reasons = [
      ...(earlier?.reasons ?? []),
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
  return { products, warnings: products.flatMap(stockWarnings) };
}
