/**
 * One record of an auction-site file as a row: a listing, or a variation completed from its parent.
 * Source: docs/design/feeds-and-imports.md#auction-files.
 */

import { statesAbsence } from '../../identity/placeholders.ts';
import type { FeedRow, ProductPatch, ProductStatus, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { createAttributeSet } from '../attribute-set.ts';
import { cleanCell } from '../cell.ts';
import { boundedKey, listingKey, variantKey } from '../file-key.ts';
import { readIdentity } from '../identity-claim.ts';
import { currencyOfSymbol, readPrice, readUnits } from '../read-number.ts';
import { feedRow, type RowSite } from '../row-site.ts';
import type { KeyLedger, SkuLedger } from '../sku-ledger.ts';
import { identityRequired, missingForSale } from '../staging.ts';
import { type OptionValue, variationOf } from '../variation.ts';
import type { AuctionField, AuctionHeader } from './columns.ts';
import { type AuctionAction, isAuctionFormat, readAction, readAuctionCondition } from './values.ts';

export interface AuctionFile {
  readonly header: AuctionHeader;
  readonly sellerCurrency: string;
  readonly skus: SkuLedger;
  readonly keys: KeyLedger;
}

/** A listing whose fields its variations share. */
export interface ParentListing {
  readonly cells: readonly string[];
  /** Key that its variations name as their parent. */
  readonly key: string;
  readonly action: AuctionAction;
}

/** One record as a listing: its own cells, and those of its parent where it is a variation. */
interface ListingView {
  readonly site: RowSite;
  readonly action: AuctionAction;
  readonly key: string;
  /** A field of the record, or of its parent where the record leaves it empty. */
  readonly text: (field: AuctionField) => string;
  /** As `text`, with the blanks at the ends. */
  readonly raw: (field: AuctionField) => string;
  readonly brand: string;
  readonly parent: ParentListing | null;
  readonly options: readonly OptionValue[];
}

const STATUS_OF_ACTION: Partial<Readonly<Record<AuctionAction, ProductStatus>>> = {
  list: 'active',
  draft: 'draft',
};

/** What the action cell of a listing says; a download lists what runs. */
export function actionOf(file: AuctionFile, cells: readonly string[]): AuctionAction {
  if (file.header.download) return 'list';
  return readAction(file.header.columns.text(cells, 'action'));
}

/** Key of a listing: its SKU, else its number on the site, else its title and first picture. */
export function auctionKey(file: AuctionFile, cells: readonly string[]): string {
  const { columns } = file.header;
  const item = columns.text(cells, 'item_number');
  if (columns.text(cells, 'sku') !== '') return columns.text(cells, 'sku');
  if (item !== '') return `item:${item}`;
  return listingKey(columns.text(cells, 'title'), columns.text(cells, 'pictures'));
}

/** Maps a listing that stands for itself; a variation may be given the action of its parent. */
export function listingRow(
  file: AuctionFile,
  site: RowSite,
  action = actionOf(file, site.record.cells),
): FeedRow {
  const { cells } = site.record;
  const { columns } = file.header;
  const column = columns.label('action');
  const value = columns.text(cells, 'action');
  if (action === 'ignore') {
    const note = rowMessage('listing_action_ignored', { column, value });
    return feedRow(site, null, [note], { role: 'ignored' });
  }
  if (action === 'unknown' || (action === 'none' && columns.text(cells, 'sku') === '')) {
    return feedRow(site, null, [rowMessage('action_unknown', { column, value, expected: KNOWN_ACTIONS })]);
  }
  return productRow(file, viewOf(file, site, action, auctionKey(file, cells), null, []));
}

const KNOWN_ACTIONS = 'Add, Revise, Relist, Draft, End, Status, VerifyAdd';

/** Maps a variation: its own cells first, its parent's where they are empty. */
export function variationRow(
  file: AuctionFile,
  site: RowSite,
  parent: ParentListing,
  options: readonly OptionValue[],
): FeedRow {
  const values = options.map((option) => option.value);
  const key = file.header.columns.text(site.record.cells, 'sku') || variantKey(parent.key, values);
  return productRow(file, viewOf(file, site, parent.action, key, parent, options));
}

/** Fields that a variation never takes from its parent. */
const OWN_FIELDS: ReadonlySet<AuctionField> = new Set(['sku', 'quantity', 'mpn']);
/** Of these it takes only the statement that there is none. */
const CODE_FIELDS = ['upc', 'ean', 'isbn'] as const;

function viewOf(
  file: AuctionFile,
  site: RowSite,
  action: AuctionAction,
  key: string,
  parent: ParentListing | null,
  options: readonly OptionValue[],
): ListingView {
  const { columns } = file.header;
  const { cells } = site.record;
  const inherited = (field: AuctionField): string => {
    if (parent === null || OWN_FIELDS.has(field)) return '';
    const value = columns.raw(parent.cells, field);
    const isCode = CODE_FIELDS.some((code) => code === field);
    return isCode && !statesAbsence(value) ? '' : value;
  };
  const raw = (field: AuctionField): string => columns.raw(cells, field) || inherited(field);
  const text = (field: AuctionField): string => cleanCell(raw(field));
  return { site, action, key, text, raw, brand: text('brand') || text('manufacturer'), parent, options };
}

function productRow(file: AuctionFile, view: ListingView): FeedRow {
  const { columns } = file.header;
  const { site, text } = view;
  const messages: RowMessage[] = [];
  const sku = file.skus.claim(text('sku'), columns.label('sku'), site.row_number);
  messages.push(...sku.messages);
  const external_key = boundedKey(view.key);
  if (sku.sku === null) messages.push(...file.keys.claim(external_key, site.row_number));
  const named: ProductPatch = { external_key, ...(sku.sku === null ? {} : { seller_sku: sku.sku }) };
  // Ending a listing says nothing about the product but that it is no longer for sale.
  if (view.action === 'end') return feedRow(site, named, messages, { role: 'deactivate' });
  const codes = CODE_FIELDS.map((field) => ({ value: text(field), column: columns.label(field) }));
  const identity = readIdentity({ codes, mpn: text('mpn'), brand: view.brand, absenceExempts: true });
  messages.push(...identity.messages, ...(identity.claim === null ? [identityRequired()] : []));
  const patch: ProductPatch = {
    ...named,
    ...(identity.claim === null ? {} : { identity: identity.claim }),
    ...contentFields(file, view, messages),
    ...offerFields(file, view, messages),
    ...(view.parent === null ? {} : { variation: variationOf(view.parent.key, view.options) }),
    attributes: attributesOf(file, view, identity.refusedCode, messages),
  };
  const missing = missingForSale(patch, { title: columns.label('title'), price: columns.label('price') });
  messages.push(...missing);
  const complete = sku.sku !== null && identity.claim !== null && missing.length === 0;
  return feedRow(site, patch, messages, complete ? {} : { role: 'staged' });
}

function contentFields(file: AuctionFile, view: ListingView, messages: RowMessage[]): ProductPatch {
  const { text, raw, brand } = view;
  const label = file.header.columns.label('condition');
  const condition = readAuctionCondition(text('condition'), label, messages);
  const status = STATUS_OF_ACTION[view.action];
  const category = text('category') || text('category_name');
  const urls = new Set(text('pictures').split('|').map(pictureOf));
  urls.delete('');
  return {
    ...(text('title') === '' ? {} : { title: text('title') }),
    ...(text('description') === '' ? {} : { description: raw('description') }),
    ...(brand === '' ? {} : { brand }),
    ...(category === '' ? {} : { category }),
    ...(condition === undefined ? {} : { condition }),
    ...(status === undefined ? {} : { status }),
    ...(urls.size === 0 ? {} : { images: [...urls].map((url) => ({ url })) }),
  };
}

/** The address of a picture; rows of variations may name the option value before it (`Blue=https://…`). */
function pictureOf(cell: string): string {
  return cleanCell(cell).replace(/^[^=:/?]+=(?=https?:\/\/)/i, '');
}

/** Price in the currency of the file, and stock. */
function offerFields(file: AuctionFile, view: ListingView, messages: RowMessage[]): ProductPatch {
  const { header, sellerCurrency } = file;
  const { text } = view;
  const price = sellingPrice(text);
  const stated = text('currency').toUpperCase() || header.currency;
  const currency = stated ?? currencyOfSymbol(price?.text ?? '') ?? sellerCurrency;
  if (currency !== sellerCurrency) {
    messages.push(rowMessage('currency_mismatch', { value: currency, expected: sellerCurrency }));
  }
  const amount = price === null ? undefined : readPrice(price.text, currency, header.decimalMark);
  if (typeof amount === 'string' && price !== null) {
    messages.push(rowMessage(amount, { column: header.columns.label(price.field), value: price.text }));
  }
  if (price === null && isAuctionFormat(text('format'))) {
    const detail = { column: header.columns.label('buy_it_now'), value: text('price') };
    messages.push(rowMessage('auction_without_fixed_price', detail));
  }
  return {
    ...(typeof amount === 'bigint' ? { price_minor: amount } : {}),
    ...(stated === null ? {} : { currency: stated }),
    ...stockField(file, view, messages),
  };
}

function stockField(file: AuctionFile, { text }: ListingView, messages: RowMessage[]): ProductPatch {
  if (text('quantity') === '') return {};
  const quantity = readUnits(text('quantity'));
  // Below zero is refused by the rule of the field.
  if (quantity !== null) return { quantity };
  const column = file.header.columns.label('quantity');
  messages.push(rowMessage('type_invalid', { column, value: text('quantity'), expected: 'a whole number' }));
  return {};
}

/** The price at which anybody can buy; the start price of an auction is none. */
function sellingPrice(
  text: ListingView['text'],
): { readonly text: string; readonly field: AuctionField } | null {
  const fields: readonly AuctionField[] = isAuctionFormat(text('format'))
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
): Readonly<Record<string, string>> {
  const attributes = createAttributeSet(messages);
  for (const [name, field] of ATTRIBUTES) attributes.add(name, view.text(field));
  for (const cells of [view.site.record.cells, view.parent?.cells ?? []]) {
    for (const [index, name] of file.header.specifics) attributes.add(name, cells[index]);
  }
  attributes.add('barcode_raw', refusedCode);
  return attributes.values();
}
