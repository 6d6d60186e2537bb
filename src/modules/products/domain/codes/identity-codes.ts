import { error, info, warning } from './define.ts';

const STATE_EXEMPTION = 'If the product has no code, choose the strategy exempt and give the reason.';
const FORMAT_AS_TEXT = 'Format the column as text in the spreadsheet, enter the code again and send the row.';

/** Findings about the identity of a product (docs/design/feeds-and-imports.md#identity). */
export const IDENTITY_CODES = {
  identity_required: error(
    'An active product needs an identity: a global id, MPN and brand, or a stated exemption.',
    'Give one of them, or send the product as a draft.',
  ),
  identity_not_found: error('No product with this id can be seen by this seller.'),
  identity_conflict: warning('Another of your products has the same identity.'),
  sku_reused_for_other_identity: warning(
    'The SKU now names a product with another identity.',
    'If it is another product, give it a SKU of its own.',
  ),
  gtin_length: error('A GTIN has 8, 12, 13 or 14 digits.'),
  gtin_not_numeric: error('A GTIN consists of digits only.'),
  gtin_check_digit: error('The check digit is wrong.', 'Compare the code with the one on the package.'),
  gtin_restricted_prefix: error(
    'Codes with this prefix are for use inside one company or for coupons; they identify no product.',
    STATE_EXEMPTION,
  ),
  gtin_placeholder: error('This is a placeholder or a textbook example, not a code.', STATE_EXEMPTION),
  gtin_textbook_example: warning('This code is printed in many textbooks; check that it is yours.'),
  gtin_scheme_mismatch: error('The code is not of the scheme that was stated.'),
  gtin_scientific_notation: error(
    'A spreadsheet has turned the code into a rounded number; the digits are lost.',
    FORMAT_AS_TEXT,
  ),
  gtin_case_pack: error('This GTIN-14 names a case of several units.', 'Give the code of the single unit.'),
  gtin_variable_measure: error('This GTIN-14 is for goods of variable measure and identifies no product.'),
  gtin_not_taken: warning('The barcode is not a valid global id and was kept as text only.'),
  ambiguous_gtin: warning('The eight digits are valid both as UPC-E and as GTIN-8; they were read as UPC-E.'),
  brand_missing: error('The strategy mpn_brand needs a brand.'),
  mpn_missing: error('The strategy mpn_brand needs an MPN.'),
  brand_generic: error('A generic brand identifies nothing together with an MPN.', STATE_EXEMPTION),
  mpn_suspicious: warning('The MPN repeats another field or is a placeholder.'),
  mpn_brand_conflict: error('Another of your products has this MPN and brand.'),
  exemption_assumed: info('The file states that the product has no identifier; this is an exemption.'),
} as const;
