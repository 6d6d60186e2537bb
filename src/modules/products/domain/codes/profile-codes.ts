import { error, info, warning } from './define.ts';

/** Findings that only import profiles make (docs/design/feeds-and-imports.md#import-profiles). */
export const PROFILE_CODES = {
  needs_variant_details: warning(
    'The file does not have the price, stock and SKU of each variant; the product stays a draft.',
    'Send the variants in a feed, or complete the product itself.',
  ),
  auction_without_fixed_price: error(
    'An auction has no fixed price, so the product cannot be sold here.',
    'Add a Buy It Now price.',
  ),
  second_header: error('The file has a second header row.', 'Send each part as its own file.'),
  variation_without_parent: error('The variation row has no listing row above it.'),
  listing_action_ignored: info('The action of this row changes nothing here; the row was ignored.'),
  compatibility_ignored: info('This is a compatibility row and not a product; it was ignored.'),
  gift_card: error('The marketplace does not sell gift cards.'),
  stock_unknown: info('The file has no quantity; the stock is unknown.'),
  location_not_chosen: info('You did not choose this location; its stock was ignored.'),
  not_stocked: info('The location does not stock the variant; the row was ignored.'),
  action_unknown: error('The action of the row is unknown.', 'Use an allowed action, or fill in the SKU.'),
  info_line: info('This is an information line of the template; it was ignored.'),
  variation_parent_ignored: info(
    'This row only groups variations, which are products of their own; it was ignored.',
  ),
  condition_approximated: warning('The marketplace does not have this condition; the nearest one was used.'),
  attribute_not_taken: warning('The value is too long for an attribute; it was ignored.'),
  handle_missing: warning(
    'The row has a title but no handle; the handle was made from the title.',
    'Keep the handle column: without it, a renamed product is imported as a new one.',
  ),
  handle_reappears: error(
    'The rows of one product are not together.',
    'Sort the file by its handle column and send it again.',
  ),
  image_without_product: warning('The file has no product row for this image; it was ignored.'),
  not_published_in_store: info('The product is active in the store but not published there.'),
  sku_damaged: warning(
    'The SKU looks like a number that a spreadsheet has rounded.',
    'Compare it with the SKU in the store.',
  ),
} as const;
