/** The four import profiles. Source: docs/design/feeds-and-imports.md#import-profiles. */
import type { FieldColumns } from '../fields/field-columns.ts';
import type { FeedRow } from '../row.ts';
import { AUCTION_LABELS, auctionGeneration, isAuctionName, readAuctionHeader } from './auction/columns.ts';
import { createAuctionMapper } from './auction/mapper.ts';
import { normaliseHeader } from './cell.ts';
import { resolveColumns } from './columns.ts';
import type { DetectedFile } from './detection/answer.ts';
import { type OpenFile, recordsAfterHeader } from './detection/dialects.ts';
import { fileLabels } from './file-labels.ts';
import {
  handmadeGeneration,
  handmadeLabels,
  hasHandmadeShape,
  isHandmadeColumn,
} from './handmade/columns.ts';
import { createHandmadeMapper } from './handmade/mapper.ts';
import {
  isListingColumn,
  isUpdateOnly,
  LISTING_COLUMNS,
  LISTING_LABELS,
  listingGeneration,
} from './marketplace/columns.ts';
import { createMarketplaceMapper } from './marketplace/mapper.ts';
import type { CreateMapper, MapperContext, ProfileName } from './profile.ts';
import { isStoreColumn, STORE_COLUMNS, STORE_LABELS, storeGeneration } from './store-platform/columns.ts';
import { createStorePlatformMapper } from './store-platform/mapper.ts';

interface Profile {
  generation(header: readonly string[]): string;
  /** Whether the profile knows a column. It does not read all columns that it knows. */
  knows(cell: string, header: readonly string[]): boolean;
  /** Whether a file with this header can only update existing products. */
  updateOnly(header: readonly string[]): boolean;
  readonly createMapper: CreateMapper;
  labels(header: readonly string[]): FieldColumns;
  /** The columns of a full file, with all spellings of each. */
  readonly expected: readonly (readonly string[])[];
}

const never = (): boolean => false;

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  store_platform_products: {
    generation: storeGeneration,
    knows: isStoreColumn,
    updateOnly: never,
    createMapper: createStorePlatformMapper,
    labels: (header) => fileLabels(resolveColumns(header, STORE_COLUMNS), STORE_LABELS),
    expected: [
      ['Handle', 'URL handle'],
      ['Title'],
      ['Body (HTML)', 'Description'],
      ['Vendor'],
      ['Option1 Name'],
      ['Option1 Value'],
      ['Variant SKU', 'SKU'],
      ['Variant Barcode', 'Barcode'],
      ['Variant Price', 'Price'],
      ['Variant Inventory Tracker', 'Inventory tracker'],
      ['Variant Inventory Qty', 'Inventory quantity'],
      ['Image Src', 'Product image URL'],
      ['Status', 'Published', 'Published on online store'],
    ],
  },
  marketplace_listings: {
    generation: listingGeneration,
    knows: isListingColumn,
    updateOnly: isUpdateOnly,
    createMapper: createMarketplaceMapper,
    labels: (header) => fileLabels(resolveColumns(header, LISTING_COLUMNS), LISTING_LABELS),
    expected: [
      ['seller-sku', 'sku', 'item_sku'],
      ['item-name', 'item_name'],
      ['item-description', 'product_description'],
      ['price', 'standard_price'],
      ['quantity'],
      ['product-id', 'external_product_id'],
      ['product-id-type', 'external_product_id_type'],
      ['item-condition', 'condition_type'],
      ['fulfillment-channel', 'fulfilment-channel', 'fulfillment-center-id'],
    ],
  },
  auction_file_exchange: {
    generation: auctionGeneration,
    knows: (cell, header) => {
      const name = normaliseHeader(cell);
      // In a header with this column, every unknown column is an item specific.
      return isAuctionName(name) || header.some((other) => normaliseHeader(other) === 'custom label (sku)');
    },
    updateOnly: never,
    createMapper: createAuctionMapper,
    labels: (header) => fileLabels(readAuctionHeader(header, ',').columns, AUCTION_LABELS),
    expected: [
      ['CustomLabel', 'Custom label (SKU)'],
      ['Title'],
      ['Category', 'Category ID', 'eBay category 1 number', 'eBay category 1 name'],
      ['StartPrice', 'Start price', 'Price', 'BuyItNowPrice', 'Buy It Now price', 'Current price'],
      ['Quantity', 'Available quantity'],
      ['ConditionID', 'Condition ID', 'Condition'],
      ['PicURL', 'Item photo URL'],
      ['Product:UPC', 'P:UPC', 'UPC', 'Product:EAN', 'P:EAN', 'EAN', 'Product:ISBN', 'P:ISBN', 'ISBN'],
    ],
  },
  handmade_listings: {
    generation: handmadeGeneration,
    knows: (cell, header) => isHandmadeColumn(cell) || hasHandmadeShape(header.map(normaliseHeader)),
    updateOnly: never,
    createMapper: createHandmadeMapper,
    labels: handmadeLabels,
    expected: [['TITLE'], ['DESCRIPTION'], ['PRICE'], ['CURRENCY_CODE'], ['QUANTITY'], ['IMAGE1'], ['SKU']],
  },
};

/**
 * Maps a file to rows, in batches and in file order. The rows after the header are numbered from 1.
 *
 * @param context overrides the choices of the seller at detection
 */
export async function* mapFile(
  open: OpenFile,
  file: DetectedFile,
  context: Omit<MapperContext, 'delimiter'>,
): AsyncGenerator<FeedRow[]> {
  const { delimiter } = file.format;
  const mapper = PROFILES[file.profile].createMapper(file.header, { ...file.choices, ...context, delimiter });
  for await (const batch of recordsAfterHeader(open, file.format, file.header_record)) {
    const rows = batch.flatMap((record) => mapper.push(record));
    if (rows.length > 0) yield rows;
  }
  const rest = mapper.end();
  if (rest.length > 0) yield rest;
}
