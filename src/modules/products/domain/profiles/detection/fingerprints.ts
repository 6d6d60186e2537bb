/**
 * The headers of each profile, as patterns. Names are normalised header cells. A `*` at the end of a name stands for
 * any text. Source: docs/design/feeds-and-imports.md#detection.
 */
import type { ProfileName } from '../profile.ts';

export interface HeaderPattern {
  /** The header must have each of these columns, in one of its spellings. */
  readonly required: readonly (readonly string[])[];
  /** Columns that are typical of such files. */
  readonly strong: readonly string[];
  /** The header must have at least this number of typical columns. */
  readonly min_strong: number;
  /** Columns that only other kinds of files have. */
  readonly negative: readonly string[];
}

export interface Fingerprint extends HeaderPattern {
  readonly profile: ProfileName;
  /** The name of such files in messages. */
  readonly name: string;
}

/** Splits a list of names. */
export const names = (text: string): readonly string[] => text.split(/,\s+/);

/**
 * Makes a pattern.
 *
 * @param required a list of names; `|` separates the spellings of a name
 */
export function headerPattern(
  required: string,
  strong: readonly string[],
  { min_strong = 2, negative = [] }: Partial<Pick<HeaderPattern, 'min_strong' | 'negative'>> = {},
): HeaderPattern {
  return { required: names(required).map((spellings) => spellings.split('|')), strong, min_strong, negative };
}

const STORE_NEGATIVE = { negative: ['fnsku', 'on hand*', 'option4 name'] };
const LISTING_NEGATIVE = { negative: ['fnsku', 'afn-*', 'state', 'update-delete'] };

/** Columns of the three vocabularies that are typical of an auction-site file. */
const AUCTION_STRONG = names(
  `customlabel, custom label (sku), category, category id, title, picurl, item photo url, conditionid,
  condition id, format, duration, startprice, start price, price, buyitnowprice, buy it now price, quantity,
  dispatchtimemax, best offer *, bestofferenabled, relationship, relationshipdetails, relationship details,
  shippingtype, shippingservice-*, returnsacceptedoption, item number, available quantity, listing site,
  category name, c:*, cd:*, p:*, product:*`,
);

/** `Action` is a common word, so the header must have this number of other columns of the profile. */
const BARE_ACTION_COLUMNS = 6;

/** This name is added to a header that has the shape of a handmade-listings download (`hasHandmadeShape`). */
export const HANDMADE_SHAPE = '(24 columns in the order of the download)';

export const FINGERPRINTS: readonly Fingerprint[] = [
  {
    profile: 'store_platform_products',
    name: 'store-platform products export',
    ...headerPattern(
      'handle, title, variant *',
      names(
        `variant *, body (html), vendor, option1 name, option1 value, image src, image position, gift card,
        seo title, published`,
      ),
      STORE_NEGATIVE,
    ),
  },
  {
    profile: 'store_platform_products',
    name: 'store-platform products export (columns since 2024)',
    ...headerPattern(
      'url handle, title',
      names(
        `sku, barcode, vendor, description, option1 name, option1 value, product category,
        published on online store, status, type, tags, price, compare-at price, charge tax, inventory tracker,
        inventory quantity, continue selling when out of stock, weight value (grams), product image url,
        image position, variant image url, gift card, seo title`,
      ),
      STORE_NEGATIVE,
    ),
  },
  {
    profile: 'marketplace_listings',
    name: 'marketplace listings report',
    ...headerPattern(
      'seller-sku',
      names(
        `item-name, item-description, listing-id, asin1, asin, price, quantity, open-date, product-id,
        product-id-type, item-condition, item-is-marketplace, zshop-*, add-delete, pending-quantity,
        fulfillment-channel, merchant-shipping-group`,
      ),
      LISTING_NEGATIVE,
    ),
  },
  {
    profile: 'marketplace_listings',
    name: 'marketplace inventory report',
    ...headerPattern(
      'sku, asin',
      names('price, quantity, business price, quantity price *, standard-price-point, producttaxcode'),
      LISTING_NEGATIVE,
    ),
  },
  {
    profile: 'marketplace_listings',
    name: 'marketplace inventory loader',
    ...headerPattern(
      'sku, product-id, product-id-type, add-delete|item-condition',
      names(
        `price, quantity, item-condition, add-delete, item-note, minimum-seller-allowed-price,
        maximum-seller-allowed-price, will-ship-internationally, expedited-shipping,
        merchant-shipping-group-name`,
      ),
      LISTING_NEGATIVE,
    ),
  },
  {
    profile: 'marketplace_listings',
    name: 'marketplace category template',
    ...headerPattern(
      'item_sku',
      names(
        `item_name, external_product_id, external_product_id_type, feed_product_type, brand_name,
        standard_price, product_description, main_image_url, condition_type, update_delete, parent_child,
        variation_theme`,
      ),
      LISTING_NEGATIVE,
    ),
  },
  {
    profile: 'auction_file_exchange',
    name: 'auction-site file exchange',
    ...headerPattern('action(*', AUCTION_STRONG),
  },
  {
    profile: 'auction_file_exchange',
    name: 'auction-site upload file',
    ...headerPattern('action', AUCTION_STRONG, { min_strong: BARE_ACTION_COLUMNS }),
  },
  {
    profile: 'auction_file_exchange',
    name: 'auction-site active listings',
    ...headerPattern(
      'item number|item id|itemid, title, custom label (sku)|available quantity',
      names(
        `variation details, custom label (sku), available quantity, format, currency, start price,
        current price, sold quantity, watchers, condition, listing site, ebay *, p:*`,
      ),
      { negative: ['buyer *', 'sales record number', 'order number'] },
    ),
  },
  {
    // A header in any language: these two names are the same in all of them.
    profile: 'handmade_listings',
    name: 'handmade listings download',
    ...headerPattern(
      `currency_code, sku, ${HANDMADE_SHAPE}`,
      ['currency_code', 'sku', HANDMADE_SHAPE, 'materials', 'image1', 'variation *'],
      { min_strong: 1 },
    ),
  },
  {
    profile: 'handmade_listings',
    name: 'handmade listings download (selected columns)',
    ...headerPattern(
      'title, price, currency_code',
      names('materials, image1, image2, image3, variation 1 *, variation 2 *, tags, sku, quantity'),
      { min_strong: 4, negative: ['handle', 'seller-sku', 'action*', 'item number'] },
    ),
  },
];
