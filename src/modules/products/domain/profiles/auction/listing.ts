/**
 * Maps one record of an auction-site file to a row. The record is a listing, or a variation that its parent completes.
 * Source: docs/design/feeds-and-imports.md#auction-files.
 */
import type { FileMark } from '../../file-marks.ts';
import { statesAbsence } from '../../identity/placeholders.ts';
import { feedRow, ignoredRow, type NumberedRecord } from '../../record-rows.ts';
import type { FeedRow, ProductPatch, ProductStatus, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { createAttributeSet } from '../attribute-set.ts';
import { cleanCell } from '../cell.ts';
import { givenFields, imagesAt, inPart, readAmount, readQuantity } from '../field-readers.ts';
import { boundedKey, listingKey, type OptionValue, variantKey, variationOf } from '../file-key.ts';
import { readIdentity } from '../identity-claim.ts';
import { currencyOfSymbol } from '../read-number.ts';
import { readSku } from '../read-sku.ts';
import { identityRequired, reportMissing } from '../staging.ts';
import type { AuctionField, AuctionHeader } from './columns.ts';
import { type AuctionAction, isAuctionFormat, readAction, readAuctionCondition } from './values.ts';

export interface AuctionFile {
  readonly header: AuctionHeader;
  readonly sellerCurrency: string;
}

/** A listing with variations. An empty cell of a variation has the value of the parent. */
export interface ParentListing {
  readonly cells: readonly string[];
  readonly key: string;
  readonly action: AuctionAction;
}

interface ListingView {
  readonly numbered: NumberedRecord;
  readonly action: AuctionAction;
  /** The key of a record without a SKU. With a SKU, the SKU is the key. */
  readonly keyWithoutSku: string;
  /** A trimmed field of the record. If it is empty, the field of the parent. */
  readonly text: (field: AuctionField) => string;
  /** The same without trimming. */
  readonly raw: (field: AuctionField) => string;
  readonly brand: string;
  readonly parent: ParentListing | null;
  readonly options: readonly OptionValue[];
}

const STATUS_OF_ACTION: Partial<Readonly<Record<AuctionAction, ProductStatus>>> = {
  list: 'active',
  draft: 'draft',
};

/**
 * The action of a listing. If the file has several action columns, the first known action counts. A download has no
 * action column; its listings are active.
 */
export function actionOf(file: AuctionFile, cells: readonly string[]): AuctionAction {
  const { download, actions } = file.header;
  if (download) return 'list';
  const read = actions.map((index) => readAction(cleanCell(cells[index])));
  const known = read.find((action) => action !== 'none' && action !== 'unknown');
  return known ?? (read.includes('unknown') ? 'unknown' : 'none');
}

export function auctionKey(file: AuctionFile, cells: readonly string[]): string {
  return file.header.columns.text(cells, 'sku') || keyWithoutSku(file, cells);
}

function keyWithoutSku({ header }: AuctionFile, cells: readonly string[]): string {
  const { columns } = header;
  const item = columns.text(cells, 'item_number');
  if (item !== '') return `item:${item}`;
  return listingKey(columns.text(cells, 'title'), columns.text(cells, 'pictures'));
}

/** Maps a listing without a parent. The mapper passes the parent's action for a variation that is ignored. */
export function listingRow(
  file: AuctionFile,
  numbered: NumberedRecord,
  action = actionOf(file, numbered.record.cells),
): FeedRow {
  const { cells } = numbered.record;
  const { columns } = file.header;
  const column = columns.label('action');
  const value = columns.text(cells, 'action');
  if (action === 'ignore') {
    return ignoredRow(numbered, rowMessage('listing_action_ignored', { column, value }));
  }
  if (action === 'unknown' || (action === 'none' && columns.text(cells, 'sku') === '')) {
    return feedRow(numbered, null, [
      rowMessage('action_unknown', { column, value, expected: KNOWN_ACTIONS }),
    ]);
  }
  return productRow(file, viewOf(file, numbered, action, keyWithoutSku(file, cells), null, []));
}

const KNOWN_ACTIONS = 'Add, Revise, Relist, Draft, End, Status, VerifyAdd';

export function variationRow(
  file: AuctionFile,
  numbered: NumberedRecord,
  parent: ParentListing,
  options: readonly OptionValue[],
): FeedRow {
  const values = options.map((option) => option.value);
  return productRow(
    file,
    viewOf(file, numbered, parent.action, variantKey(parent.key, values), parent, options),
  );
}

/** A variation does not inherit these fields from its parent. */
const OWN_FIELDS: ReadonlySet<AuctionField> = new Set(['sku', 'quantity', 'mpn']);
/** A variation inherits these fields only if they state that the product has no code. */
const CODE_FIELDS = ['upc', 'ean', 'isbn'] as const;

function viewOf(
  file: AuctionFile,
  numbered: NumberedRecord,
  action: AuctionAction,
  keyWithoutSku: string,
  parent: ParentListing | null,
  options: readonly OptionValue[],
): ListingView {
  const { columns } = file.header;
  const { cells } = numbered.record;
  const inherited = (field: AuctionField): string => {
    if (parent === null || OWN_FIELDS.has(field)) return '';
    const value = columns.raw(parent.cells, field);
    const isCode = CODE_FIELDS.some((code) => code === field);
    return isCode && !statesAbsence(value) ? '' : value;
  };
  const raw = (field: AuctionField): string => columns.raw(cells, field) || inherited(field);
  const text = (field: AuctionField): string => cleanCell(raw(field));
  return {
    numbered,
    action,
    keyWithoutSku,
    text,
    raw,
    brand: text('brand') || text('manufacturer'),
    parent,
    options,
  };
}

function productRow(file: AuctionFile, view: ListingView): FeedRow {
  const { columns } = file.header;
  const { numbered, text, parent } = view;
  const messages: RowMessage[] = [];
  const sku = readSku(text('sku'), columns.label('sku'), messages);
  const former_keys = [boundedKey(view.keyWithoutSku)];
  const external_key = boundedKey(text('sku') || view.keyWithoutSku);
  const named: ProductPatch = { external_key, ...(sku === null ? {} : { seller_sku: sku }) };
  // The end of a listing takes the product off sale and changes no other field.
  if (view.action === 'end') {
    const attributes = attributesOf(file, view, null, messages);
    return feedRow(numbered, { ...named, attributes }, messages, { role: 'deactivate', former_keys });
  }
  const codes = CODE_FIELDS.map((field) => ({ value: text(field), column: columns.label(field) }));
  const facts = { codes, mpn: text('mpn'), brand: view.brand, absenceIsExemption: true };
  const { claim: identity, refusedCode } = readIdentity(facts, messages);
  if (identity === null) messages.push(identityRequired());
  const patch: ProductPatch = {
    ...named,
    ...(identity === null ? {} : { identity }),
    ...contentFields(file, view, messages),
    ...offerFields(file, view, messages),
    ...inPart({
      // The download has no column for the action.
      status: file.header.download ? true : undefined,
      brand: text('brand') === '' && view.brand !== '' ? 'Manufacturer' : undefined,
      category: text('category') === '' && text('category_name') !== '' ? 'category_name' : undefined,
      unqualified: text('format') === '' && !isAuction(text) ? { price_minor: 'listing_format' } : undefined,
    }),
    ...(parent === null ? {} : { variation: variationOf(parent.key, view.options) }),
    attributes: { ...attributesOf(file, view, refusedCode, messages), ...formatMark(view) },
  };
  const missing = reportMissing(patch, columns, messages);
  const staged = sku === null || identity === null || missing;
  return feedRow(numbered, patch, messages, {
    former_keys,
    ...(staged ? { role: 'staged' } : {}),
    ...(parent && { cells: afterParent(parent, numbered) }),
  });
}

/** A variation that comes back alone needs its parent before it. */
export const afterParent =
  (parent: ParentListing, { record }: NumberedRecord): FeedRow['standalone'] =>
  (cellMax) =>
    cellMax === 0 ? record.cells : [...parent.cells, null, ...record.cells];

function contentFields(
  { header }: AuctionFile,
  { text, raw, brand, action }: ListingView,
  messages: RowMessage[],
) {
  const column = header.columns.label('condition');
  return givenFields({
    title: text('title'),
    description: raw('description'),
    brand,
    category: text('category') || text('category_name'),
    condition: readAuctionCondition(text('condition'), { column, messages }),
    status: STATUS_OF_ACTION[action],
    images: imagesAt(text('pictures').split('|').map(pictureOf)),
  });
}

/** Reads the address of a picture. A variation may have its option value before the address (`Blue=https://…`). */
function pictureOf(cell: string): string {
  return cleanCell(cell).replace(/^[^=:/?]+=(?=https?:\/\/)/i, '');
}

/** The price, its currency and the stock. */
function offerFields({ header, sellerCurrency }: AuctionFile, { text }: ListingView, messages: RowMessage[]) {
  const { columns } = header;
  const price = sellingPrice(text);
  const stated = text('currency').toUpperCase() || header.currency;
  const currency = stated ?? currencyOfSymbol(price?.text ?? '') ?? sellerCurrency;
  if (currency !== sellerCurrency) {
    messages.push(rowMessage('currency_mismatch', { value: currency, expected: sellerCurrency }));
  }
  const reporter = { column: columns.label(price?.field ?? 'price'), messages };
  const price_minor = readAmount(price?.text ?? '', currency, reporter, header.decimalMark);
  if (price === null && isAuctionFormat(text('format'))) {
    const detail = { column: columns.label('buy_it_now'), value: text('price') };
    messages.push(rowMessage('auction_without_fixed_price', detail));
  }
  return givenFields({
    price_minor,
    currency: stated ?? undefined,
    quantity: readQuantity(text('quantity'), { column: columns.label('quantity'), messages }),
  });
}

/** Whether the listing is an auction. Without a format it is one if it has a start price and another price. */
const isAuction = (text: ListingView['text']): boolean =>
  text('format') === '' ? text('price') !== '' && text('buy_it_now') !== '' : isAuctionFormat(text('format'));

function formatMark({ text }: ListingView): Partial<Record<FileMark, string | null>> {
  if (isAuction(text)) return { listing_format: 'auction' };
  return text('format') === '' ? {} : { listing_format: null };
}

/** The price at which a buyer can buy immediately. The start price of an auction is not such a price. */
function sellingPrice(
  text: ListingView['text'],
): { readonly text: string; readonly field: AuctionField } | null {
  const fields: readonly AuctionField[] = isAuction(text)
    ? ['buy_it_now']
    : ['current_price', 'price', 'buy_it_now'];
  for (const field of fields) if (text(field) !== '') return { text: text(field), field };
  return null;
}

const ATTRIBUTES: readonly (readonly [attribute: string, field: AuctionField])[] = [
  ['ebay_item_number', 'item_number'],
  ['ebay_product_id', 'epid'],
  ['subtitle', 'subtitle'],
  ['condition_note', 'condition_note'],
  ['Manufacturer', 'manufacturer'],
  ['category_name', 'category_name'],
];

function attributesOf(
  file: AuctionFile,
  view: ListingView,
  refusedCode: string | null,
  messages: RowMessage[],
) {
  const attributes = createAttributeSet(messages);
  for (const [name, field] of ATTRIBUTES) attributes.add(name, view.text(field));
  for (const cells of [view.numbered.record.cells, view.parent?.cells ?? []]) {
    for (const [index, name] of file.header.specifics) attributes.add(name, cells[index]);
  }
  attributes.add('barcode_raw', refusedCode);
  return attributes.values();
}
