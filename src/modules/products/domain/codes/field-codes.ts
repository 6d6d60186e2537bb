import { error, warning } from './define.ts';

/** Findings about the value of one field. */
export const FIELD_CODES = {
  required_missing: error('A required value is missing.', 'Only a draft may leave it empty.'),
  type_invalid: error('The value has the wrong type.'),
  enum_invalid: error('The value is not one of those allowed.'),
  length_exceeded: error('The value is too long.'),
  number_range: error('The number is outside the allowed range.'),
  decimal_places: error('The amount has more decimal places than the currency.'),
  price_invalid: error(
    'The price is not a plain decimal.',
    'Write it like 24.99: no symbol, no thousands mark.',
  ),
  price_below_minimum: error('The price must be above zero.'),
  price_spike: warning('The price changes by a lot.', 'Check that the decimal point is where it should be.'),
  compare_at_not_above_price: warning('The compare-at price is not above the price.'),
  stock_negative: error('A quantity cannot be below zero.'),
  stock_below_reserved: warning('The quantity is below what open orders already hold.'),
  date_order: error('The end lies before the start.'),
  url_invalid: error('The address is not an http or https URL.'),
  image_limit: error('There are more images than a product may have.'),
  image_duplicate: warning('The row has the same image twice; it was used once.'),
  html_not_allowed: warning('The title holds HTML, which buyers would see as text.', 'Remove the tags.'),
  control_chars: error('The value holds control characters.', 'Remove line breaks and invisible characters.'),
  text_malformed: error('The value holds broken characters (half of a surrogate pair).'),
  currency_mismatch: error(
    "The currency is not the seller's own.",
    'Convert the prices before sending them.',
  ),
  attribute_invalid: error('The attribute has no usable name.'),
  attribute_limit: error('There are more attributes than a product may have.'),
  variation_theme_mismatch: error('The variation theme and the values do not name the same options.'),
  variation_parent_missing: error('The row has variation values but no parent_sku.', 'Name the parent SKU.'),
} as const;
