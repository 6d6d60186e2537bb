import type { CatalogueProduct } from './product.ts';
import type { ProductPatch } from './row.ts';

/**
 * Turns the body of a full update into a patch: what the body leaves out is cleared, save what has no empty
 * form (SKU, status) or is not the body's to say (stock, key of the file the product came from).
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
