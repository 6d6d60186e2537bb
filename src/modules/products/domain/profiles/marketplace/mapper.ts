/**
 * Maps a marketplace seller-product export: each record is one row with one SKU. The marketplace's own number
 * (ASIN) becomes an attribute, never an identity. Source: docs/design/feeds-and-imports.md#marketplace-files.
 */
import type { FeedRow, ProductPatch, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { createAttributeSet } from '../attribute-set.ts';
import { normaliseHeader } from '../cell.ts';
import { type Columns, resolveColumns } from '../columns.ts';
import {
  givenFields,
  imagesAt,
  readPriceAndCurrency,
  readQuantity,
  readWord,
  stockBelowZero,
} from '../field-readers.ts';
import { boundedKey, type OptionValue, variationOf } from '../file-key.ts';
import { readIdentity } from '../identity-claim.ts';
import type { CreateMapper } from '../profile.ts';
import { feedRow, ignoredRow, type RowSite, recordMapper } from '../row-site.ts';
import { createKeyLedger, createSkuLedger, type KeyLedger, type SkuLedger } from '../sku-ledger.ts';
import { identityRequired, reportMissing } from '../staging.ts';
import { isUpdateOnly, LISTING_COLUMNS, type ListingField, OTHER_IMAGE } from './columns.ts';
import {
  isDeleted,
  isGlobalCodeType,
  isHeldElsewhere,
  LISTING_STATUSES,
  readListingCondition,
} from './values.ts';

interface ListingFile {
  readonly columns: Columns<ListingField>;
  readonly otherImages: readonly number[];
  readonly currency: string;
  readonly updateOnly: boolean;
  readonly skus: SkuLedger;
  readonly keys: KeyLedger;
}

type Text = (field: ListingField) => string;

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
  return recordMapper(header.length, (site) => listingRow(file, site));
};

function listingRow(file: ListingFile, site: RowSite): FeedRow {
  const { columns, updateOnly } = file;
  const { cells } = site.record;
  const text: Text = (field) => columns.text(cells, field);
  if (text('parentage').toLowerCase() === 'parent') {
    return ignoredRow(site, rowMessage('variation_parent_ignored'));
  }
  const aboutSku: RowMessage[] = [];
  const sku = file.skus.read(text('sku'), columns.label('sku'), site.row_number, aboutSku);
  const messages = updateOnly && sku === null ? [rowMessage('sku_required')] : aboutSku;
  const key = sku ?? listingKeyOf(text);
  if (sku === null) file.keys.check(key, site.row_number, messages);
  const named: ProductPatch = {
    ...(sku === null ? {} : { seller_sku: sku }),
    ...(sku !== null && updateOnly ? {} : { external_key: key }),
  };
  // A deleted offer only takes the product out of sale.
  if (isDeleted(text('add_delete'))) return feedRow(site, named, messages, { role: 'deactivate' });
  // Only codes of a global type identify a product; a category template also states brand and part number.
  const codes = isGlobalCodeType(text('code_type'))
    ? [{ value: text('code'), column: columns.label('code') }]
    : [];
  const facts = { codes, mpn: text('mpn'), brand: text('brand'), absenceExempts: false };
  const { claim: identity, refusedCode } = readIdentity(facts, messages);
  const patch: ProductPatch = {
    ...named,
    ...givenFields({ identity: identity ?? undefined }),
    ...contentFields(file, cells, text, messages),
    ...readPriceAndCurrency(columns, text, file.currency, messages),
    ...givenFields({
      quantity: stockOf(file, text, messages),
      images: imagesAt([text('image'), ...file.otherImages.map((index) => (cells[index] ?? '').trim())]),
      variation: variantOf(text),
    }),
    attributes: listingAttributes(text, refusedCode, messages),
  };
  return feedRow(site, patch, messages, isStaged(file, patch, messages) ? { role: 'staged' } : {});
}

/** Whether a row says too little for a product on sale; files that only update create nothing. */
function isStaged(file: ListingFile, patch: ProductPatch, messages: RowMessage[]): boolean {
  if (file.updateOnly) return false;
  if (patch.identity === undefined) messages.push(identityRequired());
  const missing = reportMissing(patch, file.columns, messages);
  return patch.seller_sku === undefined || patch.identity === undefined || missing;
}

/** Key of a listing without SKU: the listing number, else the marketplace's number, code or title. */
function listingKeyOf(text: Text): string {
  return boundedKey(`listing:${text('listing_id') || text('asin') || text('code') || text('title')}`);
}

function contentFields(
  { columns }: ListingFile,
  cells: readonly string[],
  text: Text,
  messages: RowMessage[],
): ProductPatch {
  const condition = readListingCondition(text('condition'), { column: columns.label('condition'), messages });
  const status = readWord(LISTING_STATUSES, text('status'), { column: columns.label('status'), messages });
  // Reports without a status column list what is on sale.
  const listed = !columns.has('status') && columns.has('listing_id') ? 'active' : undefined;
  return givenFields({
    title: text('title'),
    description: columns.raw(cells, 'description'),
    brand: text('brand'),
    category: text('category'),
    condition,
    status: status ?? listed,
  });
}

/** An empty quantity means stock that the marketplace holds: unknown, never 0. */
function stockOf({ columns }: ListingFile, text: Text, messages: RowMessage[]): number | null | undefined {
  if (!columns.has('quantity')) return undefined;
  const column = columns.label('quantity');
  const cell = text('quantity');
  if (cell === '' || isHeldElsewhere(text('channel'))) {
    messages.push(rowMessage('stock_unknown', { column, value: text('channel') || undefined }));
    return null;
  }
  const units = readQuantity(cell, { column, messages });
  if (units === undefined || units >= 0) return units;
  messages.push(stockBelowZero(column, cell));
  return 0;
}

/** Children of a category template name their parent and their place on its axes. */
function variantOf(text: Text): ProductPatch['variation'] {
  const parent = text('parent_sku');
  if (parent === '' || text('parentage').toLowerCase() !== 'child') return undefined;
  const options: OptionValue[] = [
    { name: 'Color', value: text('color') },
    { name: 'Size', value: text('size') },
  ].filter(({ value }) => value !== '');
  return variationOf(parent, options) ?? { parent_sku: parent, theme: '', values: {} };
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

function listingAttributes(text: Text, refusedCode: string | null, messages: RowMessage[]) {
  const attributes = createAttributeSet(messages);
  for (const [name, field] of ATTRIBUTES) attributes.add(name, text(field));
  if (/^(?:1|asin)$/i.test(text('code_type'))) attributes.add('asin', text('code'));
  attributes.add('barcode_raw', refusedCode);
  return attributes.values();
}
