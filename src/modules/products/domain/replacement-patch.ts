import type { CatalogueProduct } from './product.ts';
import type { ProductPatch } from './row.ts';

/**
 * The patch of a full update: it clears absent fields, except those without an empty form (SKU, status) and those that
 * the body does not own (stock, key of the product's file).
 */
export function replacementPatch(existing: CatalogueProduct, body: ProductPatch): ProductPatch {
  const removed = Object.fromEntries(Object.keys(existing.attributes).map((name) => [name, null]));
  return {
    title: null,
    description: null,
    brand: null,
    category: null,
    condition: null,
    identity: null,
    price_minor: null,
    compare_at_minor: null,
    reorder_point: null,
    images: [],
    variation: null,
    ...body,
    attributes: { ...removed, ...body.attributes },
  };
}
