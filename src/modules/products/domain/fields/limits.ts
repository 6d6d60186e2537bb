/** Limits of product fields with their reasons. Lengths are in characters (Unicode code points). */

/** Source: docs/design/feeds-and-imports.md#products. */
export const SKU_MAX = 64;
/** Above the longest title in real exports (194) and the limits of the large marketplaces. */
export const TITLE_MAX = 200;
/** Twice the longest description in real exports, with its HTML; keeps out whole documents. */
export const DESCRIPTION_MAX = 20_000;
export const BRAND_MAX = 100;
export const MPN_MAX = 100;
/** Enough for a code with separators (a GTIN has 14 digits) and for a product id. */
export const IDENTITY_VALUE_MAX = 80;
/** Enough for a path of categories, joined by ` > `. */
export const CATEGORY_MAX = 500;
/** Enough for a handle, or for a title and the hash of an image. */
export const EXTERNAL_KEY_MAX = 512;
export const ID_MAX = 64;
/** The length that browsers and content networks accept. */
export const URL_MAX = 2_048;
export const IMAGE_ALT_MAX = 512;
/** A product of the store platform can have as many, so no import loses images. */
export const IMAGES_MAX = 250;
export const ATTRIBUTE_NAME_MAX = 100;
export const ATTRIBUTE_VALUE_MAX = 5_000;
export const ATTRIBUTES_MAX = 250;
export const VARIATION_AXES_MAX = 10;
export const VARIATION_VALUE_MAX = 500;
/** Fits a 32-bit integer column and leaves room for sums. */
export const QUANTITY_MAX = 1_000_000_000;
