import { error, info, warning } from './define.ts';

const STATE_EXEMPTION = 'If the product has no code, set the strategy to exempt and give the reason.';
const FORMAT_AS_TEXT =
  'Format the column as text in the spreadsheet, enter the code again and send the row again.';

/** Findings about the identity of a product (docs/design/feeds-and-imports.md#identity). */
export const IDENTITY_CODES = {
  identity_required: error(
    'An active product needs an identity.',
    'Give a global id, an MPN and a brand, or the reason of an exemption; or set status to draft.',
  ),
  identity_not_found: error('You have no product with this id.'),
  identity_conflict: warning('Another of your products has the same identity.'),
  sku_reused_for_other_identity: warning(
    'The product with this SKU gets a different identity.',
    'If this is a different product, give it its own SKU.',
  ),
  gtin_length: error('A GTIN has 8, 12, 13 or 14 digits.'),
  gtin_not_numeric: error('A GTIN has only digits.'),
  gtin_check_digit: error('The check digit is wrong.', 'Compare the code with the one on the package.'),
  gtin_restricted_prefix: error(
    'Codes with this prefix are for use inside one company or for coupons; they do not identify a product.',
    STATE_EXEMPTION,
  ),
  gtin_placeholder: error('This is a placeholder or an example from a textbook.', STATE_EXEMPTION),
  gtin_textbook_example: warning('Many textbooks use this code as an example.', 'Check that it is yours.'),
  gtin_scheme_mismatch: error('The code does not belong to the given scheme.'),
  gtin_scientific_notation: error(
    'A spreadsheet has rounded the code; its last digits are lost.',
    FORMAT_AS_TEXT,
  ),
  gtin_case_pack: error(
    'This GTIN-14 is for a case of several units.',
    'Send the code of the single unit instead.',
  ),
  gtin_variable_measure: error(
    'This GTIN-14 is for goods of variable measure; it does not identify a product.',
    STATE_EXEMPTION,
  ),
  gtin_not_taken: warning('The barcode is not a valid global id; it is kept as text.'),
  ambiguous_gtin: warning('The eight digits are a valid UPC-E and a valid GTIN-8; they are read as UPC-E.'),
  brand_missing: error('The strategy mpn_brand requires a brand.'),
  mpn_missing: error('The strategy mpn_brand requires an MPN.'),
  brand_generic: error('MPN and brand need the name of a real brand.', STATE_EXEMPTION),
  mpn_suspicious: warning('The MPN is a placeholder or repeats another field.'),
  mpn_brand_conflict: error('Another of your products has this MPN and brand.'),
  exemption_assumed: info('The file says that the product has no identifier; it is recorded as exempt.'),
} as const;
