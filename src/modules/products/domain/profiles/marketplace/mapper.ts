/**
 * Maps a marketplace seller-product export: one record, one SKU, one row. The marketplace's own number (ASIN)
 * is kept as an attribute and never taken for an identity.
 * Source: docs/design/feeds-and-imports.md#marketplace-files.
 */
import type { FeedRow, ImageClaim, ProductPatch, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { createAttributeSet } from '../attribute-set.ts';
import { normaliseHeader } from '../cell.ts';
import { type Columns, resolveColumns } from '../columns.ts';
import { boundedKey } from '../file-key.ts';
import { type IdentityReading, readIdentity } from '../identity-claim.ts';
import type { CreateMapper } from '../profile.ts';
import { readPrice, readUnits } from '../read-number.ts';
import { createRowNumberer, faultOf, feedRow, type RowSite } from '../row-site.ts';
import { createKeyLedger, createSkuLedger, type KeyLedger, type SkuLedger } from '../sku-ledger.ts';
import { identityRequired, missingForSale } from '../staging.ts';
import { type OptionValue, variationOf } from '../variation.ts';
import { isUpdateOnly, LISTING_COLUMNS, type ListingField, OTHER_IMAGE } from './columns.ts';
import {
  isDeleted,
  isGlobalCodeType,
  isHeldElsewhere,
  readListingCondition,
  readListingStatus,
} from './values.ts';

interface ListingFile {
  readonly columns: Columns<ListingField>;
  readonly otherImages: readonly number[];
  readonly currency: string;
  readonly updateOnly: boolean;
  readonly skus: SkuLedger;
  readonly keys: KeyLedger;
}

export const createMarketplaceMapper: CreateMapper = (header, context) => {
  const columns = resolveColumns(header, LISTING_COLUMNS);
  const file: ListingFile = {
    columns,
    otherImages: columns.others.filter((index) => OTHER_IMAGE.test(normaliseHeader(header[index] ?? ''))),
    currency: context.seller_currency,
    updateOnly: isUpdateOnly(header),
    skus: createSkuLedger(),
    keys: createKeyLedger(),
  };
  const numberer = createRowNumberer();
  return {
    push(record) {
      const site = numberer(record);
      return [faultOf(site, header.length) ?? listingRow(file, site)];
    },
    end: () => [],
  };
};

function listingRow(file: ListingFile, site: RowSite): FeedRow {
  const { columns } = file;
  const { cells } = site.record;
  const text = (field: ListingField): string => columns.text(cells, field);
  if (text('parentage').toLowerCase() === 'parent') {
    return feedRow(site, null, [rowMessage('variation_parent_ignored')], { role: 'ignored' });
  }
  const messages: RowMessage[] = [];
  const sku = file.skus.claim(text('sku'), columns.label('sku'), site.row_number);
  messages.push(...(file.updateOnly && sku.sku === null ? [rowMessage('sku_required')] : sku.messages));
  const key = sku.sku ?? listingKeyOf(text);
  if (sku.sku === null) messages.push(...file.keys.claim(key, site.row_number));
  const named: ProductPatch = {
    ...(sku.sku === null ? {} : { seller_sku: sku.sku }),
    ...(sku.sku !== null && file.updateOnly ? {} : { external_key: key }),
  };
  // Deleting an offer says nothing about the product but that it is no longer for sale.
  if (isDeleted(text('add_delete'))) return feedRow(site, named, messages, { role: 'deactivate' });
  const identity = listingIdentity(file, cells);
  messages.push(...identity.messages);
  const patch: ProductPatch = {
    ...named,
    ...(identity.claim === null ? {} : { identity: identity.claim }),
    ...contentFields(file, cells, text, messages),
    ...offerFields(file, text, messages),
    ...imageField(file, cells),
    ...variationField(text),
    attributes: listingAttributes(text, identity.refusedCode, messages),
  };
  return feedRow(site, patch, messages, isStaged(file, patch, messages) ? { role: 'staged' } : {});
}

/** Whether a row says too little for a product on sale; files that only update create nothing. */
function isStaged(file: ListingFile, patch: ProductPatch, messages: RowMessage[]): boolean {
  if (file.updateOnly) return false;
  const { columns } = file;
  const missing = missingForSale(patch, { title: columns.label('title'), price: columns.label('price') });
  messages.push(...(patch.identity === undefined ? [identityRequired()] : []), ...missing);
  return patch.seller_sku === undefined || patch.identity === undefined || missing.length > 0;
}

/** Key of a listing without SKU, which is otherwise its own key: the listing number, else the marketplace's. */
function listingKeyOf(text: (field: ListingField) => string): string {
  const rest = text('listing_id') || text('asin') || text('code') || text('title');
  return boundedKey(`listing:${rest}`);
}

/** Only codes of a global type count; a category template also states brand and part number. */
function listingIdentity(file: ListingFile, cells: readonly string[]): IdentityReading {
  const { columns } = file;
  const global = isGlobalCodeType(columns.text(cells, 'code_type'));
  return readIdentity({
    codes: global ? [{ value: columns.text(cells, 'code'), column: columns.label('code') }] : [],
    mpn: columns.text(cells, 'mpn'),
    brand: columns.text(cells, 'brand'),
    absenceExempts: false,
  });
}

function contentFields(
  file: ListingFile,
  cells: readonly string[],
  text: (field: ListingField) => string,
  messages: RowMessage[],
): ProductPatch {
  const { columns } = file;
  const condition = readListingCondition(text('condition'), columns.label('condition'), messages);
  const status = readListingStatus(text('status'), columns.label('status'), messages);
  // Reports without a status column list what is on sale.
  const listed = !columns.has('status') && columns.has('listing_id') ? 'active' : undefined;
  const known = status ?? listed;
  return {
    ...(text('title') === '' ? {} : { title: text('title') }),
    ...(text('description') === '' ? {} : { description: columns.raw(cells, 'description') }),
    ...(text('brand') === '' ? {} : { brand: text('brand') }),
    ...(text('category') === '' ? {} : { category: text('category') }),
    ...(condition === undefined ? {} : { condition }),
    ...(known === undefined ? {} : { status: known }),
  };
}

function offerFields(
  file: ListingFile,
  text: (field: ListingField) => string,
  messages: RowMessage[],
): ProductPatch {
  const { columns } = file;
  const currency = text('currency').toUpperCase();
  if (currency !== '' && currency !== file.currency) {
    const column = columns.label('currency');
    messages.push(rowMessage('currency_mismatch', { column, value: currency, expected: file.currency }));
  }
  const price = text('price');
  const amount = price === '' ? undefined : readPrice(price, currency || file.currency);
  if (typeof amount === 'string') {
    messages.push(rowMessage(amount, { column: columns.label('price'), value: price }));
  }
  const quantity = readQuantity(file, text, messages);
  return {
    ...(typeof amount === 'bigint' ? { price_minor: amount } : {}),
    ...(currency === '' ? {} : { currency }),
    ...(quantity === undefined ? {} : { quantity }),
  };
}

/** An empty quantity means stock that the marketplace holds: unknown, never 0. */
function readQuantity(
  file: ListingFile,
  text: (field: ListingField) => string,
  messages: RowMessage[],
): number | null | undefined {
  const { columns } = file;
  if (!columns.has('quantity')) return undefined;
  const column = columns.label('quantity');
  const cell = text('quantity');
  if (cell === '' || isHeldElsewhere(text('channel'))) {
    messages.push(rowMessage('stock_unknown', { column, value: text('channel') || undefined }));
    return null;
  }
  const units = readUnits(cell);
  if (units === null) {
    messages.push(rowMessage('type_invalid', { column, value: cell, expected: 'a whole number' }));
    return undefined;
  }
  if (units >= 0) return units;
  const message = 'The stock is below zero; it was taken as 0.';
  messages.push(rowMessage('stock_negative', { column, value: cell, severity: 'warning', message }));
  return 0;
}

function imageField(file: ListingFile, cells: readonly string[]): ProductPatch {
  const urls = new Set([file.columns.text(cells, 'image')]);
  for (const index of file.otherImages) urls.add((cells[index] ?? '').trim());
  urls.delete('');
  const images: ImageClaim[] = [...urls].map((url) => ({ url }));
  return images.length === 0 ? {} : { images };
}

/** Children of a category template name their parent and their place on its axes. */
function variationField(text: (field: ListingField) => string): ProductPatch {
  if (text('parent_sku') === '' || text('parentage').toLowerCase() !== 'child') return {};
  const options: OptionValue[] = [];
  if (text('color') !== '') options.push({ name: 'Color', value: text('color') });
  if (text('size') !== '') options.push({ name: 'Size', value: text('size') });
  const parent = text('parent_sku');
  return { variation: variationOf(parent, options) ?? { parent_sku: parent, theme: '', values: {} } };
}

const ATTRIBUTES: readonly (readonly [attribute: string, field: ListingField])[] = [
  ['asin', 'asin'],
  ['asin2', 'asin2'],
  ['asin3', 'asin3'],
  ['listing_id', 'listing_id'],
  ['condition_note', 'condition_note'],
  ['fulfillment_channel', 'channel'],
  ['shipping_group', 'shipping_group'],
];

function listingAttributes(
  text: (field: ListingField) => string,
  refusedCode: string | null,
  messages: RowMessage[],
): Readonly<Record<string, string>> {
  const attributes = createAttributeSet(messages);
  for (const [name, field] of ATTRIBUTES) attributes.add(name, text(field));
  if (/^(?:1|asin)$/i.test(text('code_type'))) attributes.add('asin', text('code'));
  attributes.add('barcode_raw', refusedCode);
  return attributes.values();
}
