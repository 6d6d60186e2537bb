import { error, info, warning } from './define.ts';

/** Findings that only import profiles make (docs/design/feeds-and-imports.md#import-profiles). */
export const PROFILE_CODES = {
  needs_variant_details: warning(
    'The file does not say price, stock and SKU of each variant; the product waits as a draft.',
    'Complete the variants by a feed or in the product itself.',
  ),
  auction_without_fixed_price: error('An auction has no fixed price to sell at.', 'Give a Buy It Now price.'),
  second_header: error('A second header row stands inside the file.', 'Send the parts as separate files.'),
  variation_without_parent: error('The variation row stands before any product row.'),
  listing_action_ignored: info('The action of this row changes nothing here.'),
  compatibility_ignored: info('Compatibility rows are not products and were passed over.'),
  gift_card: error('Gift cards cannot be sold on the marketplace.'),
  stock_unknown: info('The file does not say how much stock there is; the quantity was left unknown.'),
  location_not_chosen: info('The stock of this location does not count; it was passed over.'),
  not_stocked: info('The location does not stock the variant; the row was passed over.'),
  action_unknown: error(
    'The action of the row is not known.',
    'Use one of those listed, or give the row a SKU.',
  ),
  info_line: info('An information line of the template was passed over.'),
  variation_parent_ignored: info('The row only groups its variations, which are products of their own.'),
  condition_approximated: warning('The condition has no exact equal here; the nearest one was taken.'),
  attribute_not_taken: warning('The value is too long for an attribute and was left out.'),
  handle_missing: warning(
    'The row has a title but no handle; one was made of the title.',
    'Keep the handle column, or renaming the product will make a second one.',
  ),
  handle_reappears: error(
    'The rows of one product do not stand together.',
    'Sort the file by its handle column and send it again.',
  ),
  image_without_product: warning('The picture belongs to no product row of this file and was passed over.'),
  not_published_in_store: info('The product is active in the store but not published there.'),
  sku_damaged: warning(
    'The SKU looks like a number that a spreadsheet has rounded.',
    'Compare it with the SKU in the store.',
  ),
} as const;
