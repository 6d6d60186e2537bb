/** Limits of product fields with their reasons. Lengths are in characters (Unicode code points). */

/** Source: docs/design/feeds-and-imports.md#products. */
export const SKU_MAX = 64;
/** Fits the longest titles seen in real exports (194) and every marketplace of the comparison. */
export const TITLE_MAX = 200;
/** Twice the longest description of the real exports with its HTML; a limit against pasted documents. */
export const DESCRIPTION_MAX = 20_000;
export const BRAND_MAX = 100;
export const MPN_MAX = 100;
/** A code with all its separators; GTIN itself has 14 digits. Leaves room for a product id. */
export const IDENTITY_VALUE_MAX = 80;
/** A path of categories, joined by ` > `. */
export const CATEGORY_MAX = 500;
/** Handles, or a title with the hash of an image behind it. */
export const EXTERNAL_KEY_MAX = 512;
/** What browsers and content networks take. */
export const URL_MAX = 2_048;
export const IMAGE_ALT_MAX = 512;
/** The most that a store-platform product can have, so that no import loses images. */
export const IMAGES_MAX = 250;
export const ATTRIBUTE_NAME_MAX = 100;
export const ATTRIBUTE_VALUE_MAX = 5_000;
export const ATTRIBUTES_MAX = 250;
export const VARIATION_AXES_MAX = 10;
export const VARIATION_VALUE_MAX = 500;
/** Fits a 32-bit integer column with room for sums. */
export const QUANTITY_MAX = 1_000_000_000;
