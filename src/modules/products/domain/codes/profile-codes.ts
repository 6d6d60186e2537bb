import { error, info, warning } from './define.ts';

/** Findings that only import profiles make (docs/design/feeds-and-imports.md#import-profiles). */
export const PROFILE_CODES = {
  needs_variant_details: warning(
    'The file lacks price, stock and SKU of each variant; the product stays a draft.',
    'Complete the variants by a feed or in the product itself.',
  ),
  auction_without_fixed_price: error('An auction has no fixed price to sell at.', 'Give a Buy It Now price.'),
  second_header: error('The file has a second header row.', 'Send the parts as separate files.'),
  variation_without_parent: error('The variation row has no product row before it.'),
  listing_action_ignored: info('The action of this row has no effect.'),
  compatibility_ignored: info('Compatibility rows are not products and were ignored.'),
  gift_card: error('Gift cards cannot be sold on the marketplace.'),
  stock_unknown: info('The file gives no quantity; the stock is unknown.'),
  location_not_chosen: info('The stock of this location was not chosen and was ignored.'),
  not_stocked: info('The location does not stock the variant; the row was ignored.'),
  action_unknown: error(
    'The action of the row is not known.',
    'Use one of those listed, or give the row a SKU.',
  ),
  info_line: info('An information line of the template was ignored.'),
  variation_parent_ignored: info('The row only groups its variations, which are products of their own.'),
  condition_approximated: warning('The condition has no exact equal here; the nearest one was used.'),
  attribute_not_taken: warning('The value is too long for an attribute and was left out.'),
  handle_missing: warning(
    'The row has a title but no handle; one was made of the title.',
    'Keep the handle column, or renaming the product will make a second one.',
  ),
  handle_reappears: error(
    'The rows of one product are not together.',
    'Sort the file by its handle column and send it again.',
  ),
  image_without_product: warning('The picture belongs to no product row of this file and was ignored.'),
  not_published_in_store: info('The product is active in the store but not published there.'),
  sku_damaged: warning(
    'The SKU looks like a number that a spreadsheet has rounded.',
    'Compare it with the SKU in the store.',
  ),
} as const;
