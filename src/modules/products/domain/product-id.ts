import { idPattern } from '../../../kernel/ids.ts';

const PRODUCT = new RegExp(idPattern('prd_'));
const IMAGE = new RegExp(idPattern('img_'));
/** Matches no product, so a malformed id gets the same 404 as an unknown one. */
const NO_ID = '';

/** The product id of a path; empty when it is malformed. */
export function productIdOf(params: { readonly product_id: string }): string {
  return PRODUCT.test(params.product_id) ? params.product_id : NO_ID;
}

/** What a request calls a product, for a 404. A malformed id is left out. */
export function productNamed(named: {
  readonly product_id?: string | undefined;
  readonly seller_sku?: string | null | undefined;
}): string {
  const { product_id = '', seller_sku } = named;
  const sku = seller_sku == null ? '' : ` with the seller_sku ${seller_sku}`;
  if (product_id === NO_ID && sku === '') return 'product with this product_id';
  return `product${product_id === NO_ID ? '' : ` ${product_id}`}${sku}`;
}

/** As {@link productIdOf} for an image. */
export function imageIdOf(params: { readonly image_id: string }): string {
  return IMAGE.test(params.image_id) ? params.image_id : NO_ID;
}
