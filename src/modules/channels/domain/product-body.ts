import type { StoreProduct } from './store-product.ts';

/** What is kept of a delivery about a product until its decision. */
export interface ProductBody {
  /** Undefined: the store is asked. */
  readonly product?: StoreProduct;
  /** The ids of all its variants; undefined: the delivery does not say. */
  readonly variant_ids?: readonly string[];
  /** Variants for which a member wants a new product. */
  readonly create?: readonly string[];
}
