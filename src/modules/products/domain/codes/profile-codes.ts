import { error, info, warning } from './define.ts';

/** Findings that only import profiles make (import-formats.md sections 1 to 4). */
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
} as const;
