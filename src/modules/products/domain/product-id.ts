import { idPattern } from '../../../kernel/ids.ts';

const PRODUCT = new RegExp(idPattern('prd_'));
const IMAGE = new RegExp(idPattern('img_'));
/** An id of no product: a malformed id gets the same answer as a random one. */
const NO_ID = '';

/** The product id of a path; a malformed one names no product. */
export function productIdOf(params: { readonly product_id: string }): string {
  return PRODUCT.test(params.product_id) ? params.product_id : NO_ID;
}

/** As {@link productIdOf} for an image. */
export function imageIdOf(params: { readonly image_id: string }): string {
  return IMAGE.test(params.image_id) ? params.image_id : NO_ID;
}
