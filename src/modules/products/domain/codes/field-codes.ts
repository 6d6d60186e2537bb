import { error, warning } from './define.ts';

/** Findings about the value of one field. */
export const FIELD_CODES = {
  required_missing: error('This value is required.'),
  type_invalid: error('The value has the wrong type.'),
  enum_invalid: error('The value is not one of the allowed values.'),
  length_exceeded: error('The text is too long.'),
  number_range: error('The number is outside the allowed range.'),
  decimal_places: error('The amount has more decimal places than the currency.'),
  price_invalid: error(
    'This is not a price.',
    'Write it like 24.99, without a symbol or thousands separator.',
  ),
  price_below_minimum: error('The price must be above zero.'),
  price_spike: warning('The price changes by half or more.', 'Check the decimal point.'),
  compare_at_not_above_price: warning('The compare-at price is not above the price.'),
  stock_negative: error('The quantity is negative.'),
  stock_below_reserved: warning('The quantity is lower than the units reserved for open orders.'),
  shipping_profile_unknown: error(
    'You have no shipping profile with this id.',
    'Use an id that GET /shipping/profiles lists, or null.',
  ),
  stock_mirrored: warning(
    'A supplier counts the stock of this product, so the quantity was not applied.',
    'End its dropship listing to set the stock yourself.',
  ),
  date_order: error('The end is before the start.'),
  url_invalid: error('This is not an http or https address.'),
  image_limit: error('The product has too many images.'),
  image_duplicate: warning('The row lists the same image twice; the second one is ignored.'),
  html_not_allowed: warning('The title has HTML tags, which buyers see as text.', 'Remove the tags.'),
  control_chars: error(
    'The value has line breaks, line separators or invisible control characters, which are not allowed here.',
    'Remove them.',
  ),
  text_malformed: error('The value has broken characters (half of a surrogate pair).', 'Type them again.'),
  currency_mismatch: error('The currency is not your currency.', 'Convert the prices before you send them.'),
  attribute_invalid: error('This is not a valid attribute name.'),
  attribute_limit: error('There are too many attributes.'),
  variation_theme_mismatch: error('The variation theme does not name the same options as the values.'),
  variation_parent_missing: error(
    'The row has variation values but no parent_sku.',
    'Fill in parent_sku: the SKU that all variants of the product share.',
  ),
} as const;
