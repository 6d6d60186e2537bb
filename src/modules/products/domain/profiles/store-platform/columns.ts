/**
 * Header of a store-platform products export in all its generations; columns are matched by name, so their
 * order and any subset of them do not matter. Source: docs/design/feeds-and-imports.md#store-platform-files.
 */
import { cleanCell, normaliseHeader } from '../cell.ts';
import { type Columns, type ColumnTable, headerPositions } from '../columns.ts';
import type { LabelSources } from '../file-labels.ts';

export type StoreField =
  | 'handle'
  | 'title'
  | 'description'
  | 'vendor'
  | 'category'
  | 'type'
  | 'tags'
  | 'published'
  | 'status'
  | 'option1_name'
  | 'option1_value'
  | 'option2_name'
  | 'option2_value'
  | 'option3_name'
  | 'option3_value'
  | 'sku'
  | 'barcode'
  | 'grams'
  | 'tracker'
  | 'quantity'
  | 'oversell'
  | 'price'
  | 'compare_at'
  | 'image'
  | 'image_position'
  | 'image_alt'
  | 'variant_image'
  | 'gift_card'
  | 'seo_title'
  | 'seo_description'
  | 'google_category'
  | 'gender'
  | 'age_group'
  | 'mpn'
  | 'condition';

/** Legacy name first, then the name of the header used since 2024. */
export const STORE_COLUMNS: ColumnTable<StoreField> = {
  handle: ['handle', 'url handle'],
  title: ['title'],
  description: ['body (html)', 'body html', 'description'],
  vendor: ['vendor'],
  category: ['product category', 'standardized product type', 'standard product type'],
  type: ['type', 'custom product type'],
  tags: ['tags'],
  published: ['published', 'published on online store'],
  status: ['status'],
  option1_name: ['option1 name'],
  option1_value: ['option1 value'],
  option2_name: ['option2 name'],
  option2_value: ['option2 value'],
  option3_name: ['option3 name'],
  option3_value: ['option3 value'],
  sku: ['variant sku', 'sku'],
  barcode: ['variant barcode', 'barcode'],
  grams: ['variant grams', 'weight value (grams)'],
  tracker: ['variant inventory tracker', 'inventory tracker'],
  quantity: ['variant inventory qty', 'inventory quantity'],
  oversell: ['variant inventory policy', 'continue selling when out of stock'],
  price: ['variant price', 'price'],
  compare_at: ['variant compare at price', 'compare-at price', 'compare at price'],
  image: ['image src', 'product image url'],
  image_position: ['image position'],
  image_alt: ['image alt text'],
  variant_image: ['variant image', 'variant image url'],
  gift_card: ['gift card'],
  seo_title: ['seo title'],
  seo_description: ['seo description'],
  google_category: ['google shopping / google product category'],
  gender: ['google shopping / gender'],
  age_group: ['google shopping / age group'],
  mpn: ['google shopping / mpn', 'google shopping / manufacturer part number (mpn)'],
  condition: ['google shopping / condition'],
};

export const STORE_LABELS: LabelSources<StoreField> = {
  seller_sku: ['sku'],
  title: ['title'],
  description: ['description'],
  brand: ['vendor'],
  category: ['category', 'type'],
  condition: ['condition'],
  price_minor: ['price'],
  compare_at_minor: ['compare_at'],
  quantity: ['quantity'],
  status: ['status', 'published'],
  images: ['image', 'variant_image'],
  variation: ['option1_value'],
  code: ['barcode'],
  mpn: ['mpn'],
};

/** Known columns that are passed over on purpose; the seller's cost never leaves the seller's own file. */
export const STORE_COLUMNS_NOT_READ: readonly string[] = [
  'variant fulfillment service',
  'fulfillment service',
  'variant requires shipping',
  'requires shipping',
  'variant taxable',
  'charge tax',
  'variant tax code',
  'tax code',
  'variant weight unit',
  'weight unit for display',
  'cost per item',
  'option1 linked to',
  'option2 linked to',
  'option3 linked to',
  'unit price total measure',
  'unit price total measure unit',
  'unit price base measure',
  'unit price base measure unit',
  'google shopping / adwords grouping',
  'google shopping / adwords labels',
  'google shopping / ad group name',
  'google shopping / ads labels',
  'google shopping / custom product',
  'google shopping / custom label 0',
  'google shopping / custom label 1',
  'google shopping / custom label 2',
  'google shopping / custom label 3',
  'google shopping / custom label 4',
];

/** `Included / <Market>`, `Price / <Market>`, `Compare At Price / <Market>`; market names are free text. */
const MARKET_COLUMN = /^(?:included|price|compare[ -]at price) \/ (.+)$/;

/** `<Label> (product.metafields.<namespace>.<key>)`; the label is in the language of the store's admin. */
const METAFIELD_COLUMN = /\((?:product|variant)\.metafields\.([^.()]+)\.([^()]+)\)$/;

export interface MetafieldColumn {
  readonly index: number;
  /** `<namespace>.<key>`: stable, whatever the language of the label. */
  readonly attribute: string;
}

/** Name of the market that a normalised header cell prices, or `null`. */
export function marketOf(name: string): string | null {
  return MARKET_COLUMN.exec(name)?.[1] ?? null;
}

/** Name of the attribute that a metafield column fills, or `null`. */
export function metafieldOf(cell: string): string | null {
  const match = METAFIELD_COLUMN.exec(cleanCell(cell));
  return match === null ? null : `${match[1]}.${match[2]}`;
}

/** The metafield columns among those that no field has taken. */
export function metafieldColumns(header: readonly string[], columns: Columns<StoreField>): MetafieldColumn[] {
  const found: MetafieldColumn[] = [];
  for (const index of columns.others) {
    const attribute = metafieldOf(header[index] ?? '');
    if (attribute !== null) found.push({ index, attribute });
  }
  return found;
}

/** Fewest columns of any untouched export; below it the generation cannot be told. */
const FULL_HEADER = 40;

/**
 * Names the generation of a header by its tells (table in
 * docs/design/feeds-and-imports.md#store-platform-files).
 */
export function storeGeneration(header: readonly string[]): string {
  const names = headerPositions(header);
  const newDialect = names.has('url handle');
  if (newDialect) return 'E';
  const linked = names.has('option1 linked to') || names.has('unit price total measure');
  if (linked || header.some((cell) => metafieldOf(cell) !== null)) return 'D';
  if (names.has('product category') || [...names.keys()].some((name) => marketOf(name) !== null)) return 'C';
  if (names.has('standardized product type') || names.has('custom product type')) return "B'";
  if (names.has('status')) return 'B';
  return names.size < FULL_HEADER ? 'subset' : 'A';
}

/** True for columns that the profile knows, read or not. */
export function isStoreColumn(cell: string): boolean {
  const name = normaliseHeader(cell);
  if (metafieldOf(cell) !== null || marketOf(name) !== null) return true;
  if (STORE_COLUMNS_NOT_READ.includes(name)) return true;
  return Object.values(STORE_COLUMNS).some((names) => names.includes(name));
}
