/**
 * Reads the header of a store-platform products export, in all its generations. The columns are found by name, so they
 * may have any order, and some may be missing. Source: docs/design/feeds-and-imports.md#store-platform-files.
 */
import { cleanCell, normaliseHeader } from '../cell.ts';
import { type Columns, type ColumnTable, headerPositions } from '../columns.ts';
import type { LabelSources } from '../file-labels.ts';

/** The old name, then the name in headers since 2024. */
export const STORE_COLUMNS = {
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
} as const satisfies ColumnTable<string>;
export type StoreField = keyof typeof STORE_COLUMNS;

export const STORE_LABELS: LabelSources<StoreField> = {
  external_key: ['handle'],
  brand: ['vendor'],
  category: ['category', 'type'],
  status: ['status', 'published'],
  images: ['image', 'variant_image'],
  variation: ['option1_value'],
  code: ['barcode'],
};

/** Known columns that are not read, among them the seller's cost, which is private. */
const NOT_READ =
  /^(?:(?:variant )?(?:fulfillment service|requires shipping|tax code)|variant taxable|charge tax|variant weight unit|weight unit for display|cost per item|option[123] linked to|unit price (?:total|base) measure(?: unit)?|google shopping \/ (?:adwords grouping|adwords labels|ad group name|ads labels|custom product|custom label [0-4]))$/;

/** `Included / <Market>`, `Price / <Market>`, `Compare At Price / <Market>`. The seller names the markets. */
const MARKET_COLUMN = /^(?:included|price|compare[ -]at price) \/ (.+)$/;

/** `<Label> (product.metafields.<namespace>.<key>)`. The label is in the language of the store's admin pages. */
const METAFIELD_COLUMN = /\((?:product|variant)\.metafields\.([^.()]+)\.([^()]+)\)$/;

export interface MetafieldColumn {
  readonly index: number;
  /** `<namespace>.<key>`, which does not depend on the language of the label. */
  readonly attribute: string;
}

/** The market of a normalised header cell, or `null`. */
export function marketOf(name: string): string | null {
  return MARKET_COLUMN.exec(name)?.[1] ?? null;
}

/** The attribute of a metafield column, or `null`. */
function metafieldOf(cell: string): string | null {
  const match = METAFIELD_COLUMN.exec(cleanCell(cell));
  return match === null ? null : `${match[1]}.${match[2]}`;
}

export function metafieldColumns(header: readonly string[], columns: Columns<StoreField>): MetafieldColumn[] {
  return columns.others.flatMap((index) => {
    const attribute = metafieldOf(header[index] ?? '');
    return attribute === null ? [] : [{ index, attribute }];
  });
}

/** A complete export has at least this number of columns. The generation of a shorter header is unknown. */
const FULL_HEADER = 40;

/** The generation of a header, as docs/design/feeds-and-imports.md#store-platform-files names it. */
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

/** Whether the profile knows a column. It does not read all columns that it knows. */
export function isStoreColumn(cell: string): boolean {
  const name = normaliseHeader(cell);
  if (metafieldOf(cell) !== null || marketOf(name) !== null) return true;
  if (NOT_READ.test(name)) return true;
  return Object.values<readonly string[]>(STORE_COLUMNS).some((names) => names.includes(name));
}
