/** Errors of products and stock. The id of another seller's product gets `not_found`, like a random id. */
import { coreErrors, defineErrors } from '../../kernel/errors.ts';

export const errors = defineErrors({
  sku_exists: {
    status: 409,
    detail: 'Another of your products has this seller_sku. Choose a different one.',
  },
  mpn_brand_conflict: {
    status: 409,
    detail: 'Another of your products has this MPN and brand. Change that product instead.',
  },
  identity_ambiguous: {
    status: 409,
    detail: 'Several of your products have this identity. Name the product by its seller_sku or product_id.',
  },
  quantity_changed: {
    status: 409,
    detail: 'The quantity differs from expected_quantity. Check current_quantity before you retry.',
  },
  quantity_unknown: { status: 409, detail: 'The stock of this product is unknown. Set a quantity first.' },
  insufficient_stock: { status: 409, detail: 'The stock would fall below zero. Nothing was changed.' },
  stock_mirrored: {
    status: 409,
    detail:
      'A supplier counts the stock of this product (`stock_source`). End its dropship listing to set the stock yourself.',
  },
  own_stock_present: {
    status: 409,
    detail: 'The product has units of your own. Set its quantity to 0 first; then a supplier can count it.',
    facts: { quantity_on_hand: 12 },
  },
  duplicate_item: {
    status: 409,
    detail: 'An earlier item of this request names the same product. Send one item per product.',
  },
  image_exists: { status: 409, detail: 'The product already has an image with this URL.' },
  image_limit: {
    status: 409,
    detail: 'The product already has the maximum number of images. Remove one first.',
  },
});

/** Errors of every route that changes one product. */
export const productRouteErrors = [coreErrors.not_found, coreErrors.precondition_failed];
/** Errors of every route that writes the content of products. */
export const productWriteErrors = [errors.sku_exists, errors.mpn_brand_conflict, coreErrors.conflict];
