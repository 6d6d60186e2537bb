/**
 * Maps a marketplace seller-product export: each record is one product with one SKU. The number that the marketplace
 * gives a product (ASIN) becomes an attribute, because it identifies the product only there.
 * Source: docs/design/feeds-and-imports.md#marketplace-files.
 */
import type { FileMark } from '../../file-marks.ts';
import { feedRow, ignoredRow, type NumberedRecord, recordMapper } from '../../record-rows.ts';
import type { FeedRow, ProductPatch, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { createAttributeSet } from '../attribute-set.ts';
import { normaliseHeader } from '../cell.ts';
import { type Columns, resolveColumns } from '../columns.ts';
import {
  givenFields,
  imagesAt,
  inPart,
  readPriceAndCurrency,
  readQuantity,
  readWord,
  stockBelowZero,
} from '../field-readers.ts';
import { boundedKey, type OptionValue, variationOf } from '../file-key.ts';
import { readIdentity } from '../identity-claim.ts';
import type { CreateMapper } from '../profile.ts';
import { readSku } from '../read-sku.ts';
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
}

/** The pictures of a category template. */
const IMAGES_MAX = 9;

type Text = (field: ListingField) => string;

export const createMarketplaceMapper: CreateMapper = (header, context) => {
  const columns = resolveColumns(header, LISTING_COLUMNS);
  const file: ListingFile = {
    columns,
    otherImages: columns.others.filter((index) => OTHER_IMAGE.test(normaliseHeader(header[index] ?? ''))),
    currency: context.seller_currency,
    updateOnly: isUpdateOnly(header),
  };
  return recordMapper(header.length, (numbered) => listingRow(file, numbered));
};

function listingRow(file: ListingFile, numbered: NumberedRecord): FeedRow {
  const { columns, updateOnly } = file;
  const { cells } = numbered.record;
  const text: Text = (field) => columns.text(cells, field);
  if (text('parentage').toLowerCase() === 'parent') {
    return ignoredRow(numbered, rowMessage('variation_parent_ignored'));
  }
  const aboutSku: RowMessage[] = [];
  const sku = readSku(text('sku'), columns.label('sku'), aboutSku);
  const messages = updateOnly && sku === null ? [rowMessage('sku_required')] : aboutSku;
  const listing = listingKeyOf(text);
  const key = sku ?? listing;
  const former_keys = sku === null ? [] : [sku, listing];
  const named: ProductPatch = {
    ...(sku === null ? {} : { seller_sku: sku }),
    ...(sku !== null && updateOnly ? {} : { external_key: key }),
  };
  // The deletion of an offer takes the product off sale and changes no other field.
  if (isDeleted(text('add_delete'))) {
    const attributes = listingAttributes(text, null, messages);
    return feedRow(numbered, { ...named, attributes }, messages, { role: 'deactivate', former_keys });
  }
  // The code identifies the product only if its type is global. A category template also has a brand and a part number.
  const codes = isGlobalCodeType(text('code_type'))
    ? [{ value: text('code'), column: columns.label('code') }]
    : [];
  const facts = { codes, mpn: text('mpn'), brand: text('brand'), absenceIsExemption: false };
  const { claim: identity, refusedCode } = readIdentity(facts, messages);
  const images = imagesAt([text('image'), ...file.otherImages.map((index) => (cells[index] ?? '').trim())]);
  const pictures = 1 + file.otherImages.length;
  const patch: ProductPatch = {
    ...named,
    ...givenFields({ identity: identity ?? undefined }),
    ...contentFields(file, cells, text, messages),
    ...readPriceAndCurrency(columns, text, file.currency, messages),
    ...givenFields({
      quantity: stockOf(file, text, messages),
      images,
      variation: variantOf(text),
    }),
    ...inPart({
      status: onlyListed(columns) ? true : undefined,
      images: images && pictures < IMAGES_MAX ? pictures : undefined,
      unqualified:
        columns.has('channel') || !columns.has('quantity') ? undefined : { quantity: 'stock_tracking' },
    }),
    attributes: { ...listingAttributes(text, refusedCode, messages), ...stockMark(columns, text) },
  };
  const staged = isStaged(file, patch, messages);
  return feedRow(numbered, patch, messages, { former_keys, ...(staged ? { role: 'staged' } : {}) });
}

/** Reports what a product on sale needs and the row lacks. @returns whether something is missing */
function isStaged(file: ListingFile, patch: ProductPatch, messages: RowMessage[]): boolean {
  if (file.updateOnly) return false;
  if (patch.identity === undefined) messages.push(identityRequired());
  const missing = reportMissing(patch, file.columns, messages);
  return patch.seller_sku === undefined || patch.identity === undefined || missing;
}

/** The key of a listing without a SKU: its listing number, else its ASIN, its code or its title. */
function listingKeyOf(text: Text): string {
  return boundedKey(`listing:${text('listing_id') || text('asin') || text('code') || text('title')}`);
}

/** Whether the file is a report without a status column, which has only listings that are on sale. */
const onlyListed = (columns: ListingFile['columns']): boolean =>
  !columns.has('status') && columns.has('listing_id');

function contentFields(
  { columns }: ListingFile,
  cells: readonly string[],
  text: Text,
  messages: RowMessage[],
): ProductPatch {
  const condition = readListingCondition(text('condition'), { column: columns.label('condition'), messages });
  const status = readWord(LISTING_STATUSES, text('status'), { column: columns.label('status'), messages });
  const listed = onlyListed(columns) ? 'active' : undefined;
  return givenFields({
    title: text('title'),
    description: columns.raw(cells, 'description'),
    brand: text('brand'),
    category: text('category'),
    condition,
    status: status ?? listed,
  });
}

/**
 * The stock that the other marketplace holds is unknown here, not 0. An empty quantity of the seller's own stock says
 * nothing: a new product has unknown stock, and another one keeps what was counted, so that it is not oversold.
 */
function stockOf({ columns }: ListingFile, text: Text, messages: RowMessage[]): number | null | undefined {
  if (!columns.has('quantity')) return undefined;
  const column = columns.label('quantity');
  const cell = text('quantity');
  const elsewhere = isHeldElsewhere(text('channel'));
  if (cell === '' || elsewhere) {
    messages.push(rowMessage('stock_unknown', { column, value: text('channel') || undefined }));
    return elsewhere ? null : undefined;
  }
  const units = readQuantity(cell, { column, messages });
  if (units === undefined || units >= 0) return units;
  messages.push(stockBelowZero(column, cell));
  return 0;
}

/** What a later file without the channel cannot say: whether the stock is the seller's own. */
function stockMark(columns: ListingFile['columns'], text: Text): Partial<Record<FileMark, string | null>> {
  if (!columns.has('channel')) return {};
  return { stock_tracking: isHeldElsewhere(text('channel')) ? 'elsewhere' : null };
}

/** The variation of a child row in a category template. */
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
