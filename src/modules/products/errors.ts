/** Errors of the catalogue and the stock. A product of another seller is the core's `not_found`, like a random id. */
import { coreErrors, defineErrors } from '../../kernel/errors.ts';

export const errors = defineErrors({
  sku_exists: { status: 409, detail: 'Another of your products has this seller_sku.' },
  mpn_brand_conflict: { status: 409, detail: 'Another of your products has this MPN and brand.' },
  identity_ambiguous: {
    status: 409,
    detail: 'The identity fits more than one of your products; name the product by seller_sku or product_id.',
  },
  quantity_changed: {
    status: 409,
    detail: 'The quantity is not the expected one; look at current_quantity and decide again.',
  },
  quantity_unknown: { status: 409, detail: 'The stock of the product is not known; set a quantity first.' },
  insufficient_stock: { status: 409, detail: 'The stock would go below zero; nothing was changed.' },
  duplicate_item: {
    status: 409,
    detail: 'An earlier item of this request is about the same product; send one item for each product.',
  },
  image_exists: { status: 409, detail: 'The product has an image with this address already.' },
  image_limit: { status: 409, detail: 'The product has as many images as a product may have.' },
});

/** Errors of every route of one product. */
export const ofProduct = [coreErrors.not_found, coreErrors.precondition_failed];
/** Errors of every write of a product's content. */
export const ofWrite = [errors.sku_exists, errors.mpn_brand_conflict, coreErrors.conflict];
