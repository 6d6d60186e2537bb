/**
 * How each profile's header is recognised, as data. Names are normalised header cells; a trailing `*` stands
 * for any ending. Source: docs/design/feeds-and-imports.md#detection.
 */
import type { ProfileName } from '../profile.ts';

export interface HeaderPattern {
  /** Each entry must be in the header, in one of its spellings. */
  readonly required: readonly (readonly string[])[];
  /** Columns that speak for the shape; each that is present is a hit. */
  readonly strong: readonly string[];
  /** Fewest hits without which the required columns prove nothing. */
  readonly min_strong: number;
  /** Columns that speak against it. */
  readonly negative: readonly string[];
}

export interface Fingerprint extends HeaderPattern {
  readonly profile: ProfileName;
  /** What a person calls files of this kind. */
  readonly name: string;
}

const STORE_NEGATIVE = ['fnsku', 'on hand*', 'option4 name'];

const STORE_PLATFORM: readonly Fingerprint[] = [
  {
    profile: 'store_platform_products',
    name: 'store-platform products export',
    required: [['handle'], ['title'], ['variant *']],
    strong: [
      'variant *',
      'body (html)',
      'vendor',
      'option1 name',
      'option1 value',
      'image src',
      'image position',
      'gift card',
      'seo title',
      'published',
    ],
    min_strong: 2,
    negative: STORE_NEGATIVE,
  },
  {
    profile: 'store_platform_products',
    name: 'store-platform products export (columns since 2024)',
    required: [['url handle'], ['title']],
    strong: [
      'sku',
      'barcode',
      'vendor',
      'description',
      'option1 name',
      'option1 value',
      'product category',
      'published on online store',
      'status',
      'type',
      'tags',
      'price',
      'compare-at price',
      'charge tax',
      'inventory tracker',
      'inventory quantity',
      'continue selling when out of stock',
      'weight value (grams)',
      'product image url',
      'image position',
      'variant image url',
      'gift card',
      'seo title',
    ],
    min_strong: 2,
    negative: STORE_NEGATIVE,
  },
];

const LISTING_NEGATIVE = ['fnsku', 'afn-*', 'state', 'update-delete'];

const MARKETPLACE: readonly Fingerprint[] = [
  {
    profile: 'marketplace_listings',
    name: 'marketplace listings report',
    required: [['seller-sku']],
    strong: [
      'item-name',
      'item-description',
      'listing-id',
      'asin1',
      'asin',
      'price',
      'quantity',
      'open-date',
      'product-id',
      'product-id-type',
      'item-condition',
      'item-is-marketplace',
      'zshop-*',
      'add-delete',
      'pending-quantity',
      'fulfillment-channel',
      'merchant-shipping-group',
    ],
    min_strong: 2,
    negative: LISTING_NEGATIVE,
  },
  {
    profile: 'marketplace_listings',
    name: 'marketplace inventory report',
    required: [['sku'], ['asin']],
    strong: [
      'price',
      'quantity',
      'business price',
      'quantity price *',
      'standard-price-point',
      'producttaxcode',
    ],
    min_strong: 2,
    negative: LISTING_NEGATIVE,
  },
  {
    profile: 'marketplace_listings',
    name: 'marketplace inventory loader',
    required: [['sku'], ['product-id'], ['product-id-type'], ['add-delete', 'item-condition']],
    strong: [
      'price',
      'quantity',
      'item-condition',
      'add-delete',
      'item-note',
      'minimum-seller-allowed-price',
      'maximum-seller-allowed-price',
      'will-ship-internationally',
      'expedited-shipping',
      'merchant-shipping-group-name',
    ],
    min_strong: 2,
    negative: LISTING_NEGATIVE,
  },
  {
    profile: 'marketplace_listings',
    name: 'marketplace category template',
    required: [['item_sku']],
    strong: [
      'item_name',
      'external_product_id',
      'external_product_id_type',
      'feed_product_type',
      'brand_name',
      'standard_price',
      'product_description',
      'main_image_url',
      'condition_type',
      'update_delete',
      'parent_child',
      'variation_theme',
    ],
    min_strong: 2,
    negative: LISTING_NEGATIVE,
  },
];

/** Columns of the three vocabularies that speak for an auction-site file. */
const AUCTION_STRONG = [
  'customlabel',
  'custom label (sku)',
  'category',
  'category id',
  'title',
  'picurl',
  'item photo url',
  'conditionid',
  'condition id',
  'format',
  'duration',
  'startprice',
  'start price',
  'price',
  'buyitnowprice',
  'buy it now price',
  'quantity',
  'dispatchtimemax',
  'best offer *',
  'bestofferenabled',
  'relationship',
  'relationshipdetails',
  'relationship details',
  'shippingtype',
  'shippingservice-*',
  'returnsacceptedoption',
  'item number',
  'available quantity',
  'listing site',
  'category name',
  'c:*',
  'cd:*',
  'p:*',
  'product:*',
];

/** A bare `Action` is a common word: this many known columns must stand beside it. */
const BARE_ACTION_COLUMNS = 6;

const AUCTION: readonly Fingerprint[] = [
  {
    profile: 'auction_file_exchange',
    name: 'auction-site file exchange',
    required: [['action(*']],
    strong: AUCTION_STRONG,
    min_strong: 2,
    negative: [],
  },
  {
    profile: 'auction_file_exchange',
    name: 'auction-site upload file',
    required: [['action']],
    strong: AUCTION_STRONG,
    min_strong: BARE_ACTION_COLUMNS,
    negative: [],
  },
  {
    profile: 'auction_file_exchange',
    name: 'auction-site active listings',
    required: [['item number', 'item id', 'itemid'], ['title'], ['custom label (sku)', 'available quantity']],
    strong: [
      'variation details',
      'custom label (sku)',
      'available quantity',
      'format',
      'currency',
      'start price',
      'current price',
      'sold quantity',
      'watchers',
      'condition',
      'listing site',
      'ebay *',
      'p:*',
    ],
    min_strong: 2,
    negative: ['buyer *', 'sales record number', 'order number'],
  },
];

/** Joins the names of a header whose columns stand where those of a handmade-listings download stand. */
export const HANDMADE_SHAPE = '(24 columns in the order of the download)';

const HANDMADE: readonly Fingerprint[] = [
  {
    // Any language: the positions are tested by `hasHandmadeShape`, these are the names that never change.
    profile: 'handmade_listings',
    name: 'handmade listings download',
    required: [['currency_code'], ['sku'], [HANDMADE_SHAPE]],
    strong: ['currency_code', 'sku', HANDMADE_SHAPE, 'materials', 'image1', 'variation *'],
    min_strong: 1,
    negative: [],
  },
  {
    profile: 'handmade_listings',
    name: 'handmade listings download (selected columns)',
    required: [['title'], ['price'], ['currency_code']],
    strong: [
      'materials',
      'image1',
      'image2',
      'image3',
      'variation 1 *',
      'variation 2 *',
      'tags',
      'sku',
      'quantity',
    ],
    min_strong: 4,
    negative: ['handle', 'seller-sku', 'action*', 'item number'],
  },
];

export const FINGERPRINTS: readonly Fingerprint[] = [
  ...STORE_PLATFORM,
  ...MARKETPLACE,
  ...AUCTION,
  ...HANDMADE,
];
