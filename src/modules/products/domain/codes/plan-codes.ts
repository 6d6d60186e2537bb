import { error, info } from './define.ts';

/** Findings that come from comparing a row with the catalogue. */
export const PLAN_CODES = {
  sku_required: error('The SKU is required.', 'Fill in seller_sku.'),
  sku_duplicate_in_file: error(
    'This SKU is already in an earlier row of this file.',
    'Keep one row for each SKU.',
  ),
  sku_duplicate: error(
    'Another of your products has this SKU: its key or listing number differs, or its title and its code or pictures do.',
    'Give each product its own SKU on the platform that the file comes from. If it is the same product, change ' +
      'its title, or its attribute asin or ebay_item_number, to those of the row, and import again. If its ' +
      'key has changed, give the other product another SKU.',
  ),
  sku_exists: error(
    'You already have a product with this SKU.',
    'Send it with mode=upsert or mode=update_only to change the product.',
  ),
  sku_not_found: error(
    'You have no product with this SKU.',
    'Correct the SKU, or send the row with mode=upsert to create the product.',
  ),
  sku_taken: error('Another of your products has this SKU.'),
  plan_limit_reached: error(
    'Your plan allows no more products.',
    'Archive products, or choose a larger plan.',
  ),
  product_archived: info('The product stays archived.', 'Set status to active to sell it again.'),
  curation_required: info('The marketplace reviews this change; until then buyers see the approved version.'),
  version_conflict: error(
    'The product has changed since the run was received.',
    'Read the product, and send the row again if it still holds.',
  ),
} as const;
