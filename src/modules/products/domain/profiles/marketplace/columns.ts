/**
 * Reads the header of a marketplace seller-product export: a listing report, the inventory report, the inventory
 * loader or a category template. Source: docs/design/feeds-and-imports.md#marketplace-files.
 */
import { normaliseHeader } from '../cell.ts';
import { type ColumnTable, headerPositions } from '../columns.ts';
import type { LabelSources } from '../file-labels.ts';

/** The name in reports, then the name in the loader, then the technical name in category templates. */
export const LISTING_COLUMNS = {
  sku: ['seller-sku', 'sku', 'item_sku'],
  title: ['item-name', 'item_name'],
  description: ['item-description', 'product_description'],
  listing_id: ['listing-id'],
  price: ['price', 'standard_price'],
  quantity: ['quantity'],
  image: ['image-url', 'main_image_url'],
  code_type: ['product-id-type', 'external_product_id_type'],
  code: ['product-id', 'external_product_id'],
  asin: ['asin1', 'asin'],
  asin2: ['asin2'],
  asin3: ['asin3'],
  condition: ['item-condition', 'condition_type'],
  condition_note: ['item-note', 'condition_note'],
  add_delete: ['add-delete', 'update_delete'],
  channel: ['fulfillment-channel', 'fulfilment-channel', 'fulfillment-center-id', 'fulfillment_center_id'],
  status: ['status'],
  open_date: ['open-date'],
  shipping_group: ['merchant-shipping-group', 'merchant-shipping-group-name', 'merchant_shipping_group_name'],
  brand: ['brand_name'],
  mpn: ['part_number', 'manufacturer_part_number'],
  category: ['feed_product_type', 'item_type'],
  currency: ['currency'],
  parentage: ['parent_child'],
  parent_sku: ['parent_sku'],
  theme: ['variation_theme'],
  color: ['color_name'],
  size: ['size_name'],
} as const satisfies ColumnTable<string>;
export type ListingField = keyof typeof LISTING_COLUMNS;

export const LISTING_LABELS: LabelSources<ListingField> = {
  external_key: ['listing_id', 'asin', 'code', 'title'],
  images: ['image'],
  variation: ['parent_sku'],
};

/** The columns of further pictures in a category template. */
export const OTHER_IMAGE = /^other_image_url\d+$/;

/** Known columns that are not read: options of the marketplace and its business prices. */
const NOT_READ =
  /^(?:item-is-marketplace|zshop-[a-z0-9-]+|will-ship-internationally|expedited-shipping|bid-for-featured-placement|pending-quantity|business price|quantity price type|quantity (?:lower bound|price) \d|progressive price type|progressive (?:lower bound|price) \d|standard-price-point|producttaxcode|minimum order quantity|sell remainder|(?:minimum|maximum)-seller-allowed-price|relationship_type|bullet_point\d|optional-payment-type-exclusion)$/;

export function isListingColumn(cell: string): boolean {
  const name = normaliseHeader(cell);
  if (NOT_READ.test(name) || OTHER_IMAGE.test(name)) return true;
  return Object.values<readonly string[]>(LISTING_COLUMNS).some((names) => names.includes(name));
}

/** The kind of file that has this header. */
export function listingGeneration(header: readonly string[]): string {
  const names = headerPositions(header);
  if (names.has('item_sku')) return 'category_template';
  if (names.has('seller-sku')) {
    if (!names.has('listing-id') && !names.has('open-date')) return 'custom_columns';
    if (names.has('business price')) return 'listings_report_b2b';
    return names.has('status') ? 'all_listings_report' : 'listings_report';
  }
  return names.has('asin') ? 'inventory_report' : 'inventory_loader';
}

/** Whether the file lacks prices or quantities. Such a file can only update products. */
export function isUpdateOnly(header: readonly string[]): boolean {
  const names = headerPositions(header);
  const has = (field: ListingField) => LISTING_COLUMNS[field].some((name) => names.has(name));
  return !has('price') || !has('quantity');
}
