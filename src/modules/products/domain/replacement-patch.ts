import type { CatalogueProduct } from './product.ts';
import type { ProductPatch } from './row.ts';

/**
 * The patch of a full update (PUT). It clears the fields that the body leaves out, except fields that cannot be empty
 * (SKU, status) and fields that other requests change (stock, key of the product's file).
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
    shipping_profile_id: null,
    images: [],
    variation: null,
    ...body,
    attributes: { ...removed, ...body.attributes },
  };
}
