import { error, info } from './define.ts';

/** Findings that come from comparing a row with the catalogue. */
export const PLAN_CODES = {
  sku_required: error('The row names no product.', 'Give the seller_sku.'),
  sku_duplicate_in_file: error('An earlier row of this file has the same SKU.', 'Keep one row for each SKU.'),
  sku_exists: error('A product with this SKU exists already and the mode only creates.'),
  sku_not_found: error('No product has this SKU and the mode only updates.'),
  sku_taken: error('Another of your products has this SKU.'),
  plan_limit_reached: error(
    'The plan allows no further product.',
    'Archive products or choose a larger plan.',
  ),
  product_archived: info('The product stays archived.', 'Send status active to sell it again.'),
  curation_required: info('The change is under review; the approved version stays visible.'),
  version_conflict: error('The product has changed since.', 'Read it again and repeat the change.'),
} as const;
