import { idPattern } from '../../../kernel/ids.ts';

const PRODUCT = new RegExp(idPattern('prd_'));
const IMAGE = new RegExp(idPattern('img_'));
/** No product and no image has it. What cannot be an id is still looked up, so that it is answered like a random id. */
const NOBODY = '';

/** The product id of a path; what has not the shape of one names nothing. */
export function productIdOf(params: { readonly product_id: string }): string {
  return PRODUCT.test(params.product_id) ? params.product_id : NOBODY;
}

/** As {@link productIdOf} for an image. */
export function imageIdOf(params: { readonly image_id: string }): string {
  return IMAGE.test(params.image_id) ? params.image_id : NOBODY;
}
