/**
 * One record of an auction-site file as a row: a listing, or a variation completed from its parent.
 * Source: docs/design/feeds-and-imports.md#auction-files.
 */

import { statesAbsence } from '../../identity/placeholders.ts';
import type { FeedRow, ProductPatch, ProductStatus, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { createAttributeSet } from '../attribute-set.ts';
import { cleanCell } from '../cell.ts';
import { givenFields, imagesAt, readAmount, readQuantity } from '../field-readers.ts';
import { boundedKey, listingKey, type OptionValue, variantKey, variationOf } from '../file-key.ts';
import { readIdentity } from '../identity-claim.ts';
import { currencyOfSymbol } from '../read-number.ts';
import { feedRow, ignoredRow, type RowSite } from '../row-site.ts';
import type { KeyLedger, SkuLedger } from '../sku-ledger.ts';
import { identityRequired, reportMissing } from '../staging.ts';
import type { AuctionField, AuctionHeader } from './columns.ts';
import { type AuctionAction, isAuctionFormat, readAction, readAuctionCondition } from './values.ts';

export interface AuctionFile {
  readonly header: AuctionHeader;
  readonly sellerCurrency: string;
  readonly skus: SkuLedger;
  readonly keys: KeyLedger;
}

/** A listing whose variations take its fields where their own are empty. */
export interface ParentListing {
  readonly cells: readonly string[];
  /** Key that its variations name as their parent. */
  readonly key: string;
  readonly action: AuctionAction;
}

interface ListingView {
  readonly site: RowSite;
  readonly action: AuctionAction;
  readonly key: string;
  /** A field of the record, or of its parent where the record has none. */
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

/** The action of a listing; a download has no action and lists active listings. */
export function actionOf(file: AuctionFile, cells: readonly string[]): AuctionAction {
  if (file.header.download) return 'list';
  return readAction(file.header.columns.text(cells, 'action'));
}

export function auctionKey(file: AuctionFile, cells: readonly string[]): string {
  const { columns } = file.header;
  const item = columns.text(cells, 'item_number');
  if (columns.text(cells, 'sku') !== '') return columns.text(cells, 'sku');
  if (item !== '') return `item:${item}`;
  return listingKey(columns.text(cells, 'title'), columns.text(cells, 'pictures'));
}

/** Maps a listing without a parent; a variation may pass the action of its parent. */
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
    return ignoredRow(site, rowMessage('listing_action_ignored', { column, value }));
  }
  if (action === 'unknown' || (action === 'none' && columns.text(cells, 'sku') === '')) {
    return feedRow(site, null, [rowMessage('action_unknown', { column, value, expected: KNOWN_ACTIONS })]);
  }
  return productRow(file, viewOf(file, site, action, auctionKey(file, cells), null, []));
}

const KNOWN_ACTIONS = 'Add, Revise, Relist, Draft, End, Status, VerifyAdd';

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
/** Of these fields it takes only the statement that there is no code. */
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
  const { site, text, parent } = view;
  const messages: RowMessage[] = [];
  const sku = file.skus.read(text('sku'), columns.label('sku'), site.row_number, messages);
  const external_key = boundedKey(view.key);
  if (sku === null) file.keys.check(external_key, site.row_number, messages);
  const named: ProductPatch = { external_key, ...(sku === null ? {} : { seller_sku: sku }) };
  // An ended listing only takes the product out of sale.
  if (view.action === 'end') return feedRow(site, named, messages, { role: 'deactivate' });
  const codes = CODE_FIELDS.map((field) => ({ value: text(field), column: columns.label(field) }));
  const facts = { codes, mpn: text('mpn'), brand: view.brand, absenceExempts: true };
  const { claim: identity, refusedCode } = readIdentity(facts, messages);
  if (identity === null) messages.push(identityRequired());
  const patch: ProductPatch = {
    ...named,
    ...(identity === null ? {} : { identity }),
    ...contentFields(file, view, messages),
    ...offerFields(file, view, messages),
    ...(parent === null ? {} : { variation: variationOf(parent.key, view.options) }),
    attributes: attributesOf(file, view, refusedCode, messages),
  };
  const missing = reportMissing(patch, columns, messages);
  const staged = sku === null || identity === null || missing;
  return feedRow(site, patch, messages, staged ? { role: 'staged' } : {});
}

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

/** The address of a picture; rows of variations may name the option value before it (`Blue=https://…`). */
function pictureOf(cell: string): string {
  return cleanCell(cell).replace(/^[^=:/?]+=(?=https?:\/\/)/i, '');
}

/** Price in the currency of the file, and stock. */
function offerFields({ header, sellerCurrency }: AuctionFile, { text }: ListingView, messages: RowMessage[]) {
  const { columns } = header;
  const price = sellingPrice(text);
  const stated = text('currency').toUpperCase() || header.currency;
  const currency = stated ?? currencyOfSymbol(price?.text ?? '') ?? sellerCurrency;
  if (currency !== sellerCurrency) {
    messages.push(rowMessage('currency_mismatch', { value: currency, expected: sellerCurrency }));
  }
  const site = { column: columns.label(price?.field ?? 'price'), messages };
  const price_minor = readAmount(price?.text ?? '', currency, site, header.decimalMark);
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

/** The price at which a buyer can buy at once; an auction's start price is not one. */
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
) {
  const attributes = createAttributeSet(messages);
  for (const [name, field] of ATTRIBUTES) attributes.add(name, view.text(field));
  for (const cells of [view.site.record.cells, view.parent?.cells ?? []]) {
    for (const [index, name] of file.header.specifics) attributes.add(name, cells[index]);
  }
  attributes.add('barcode_raw', refusedCode);
  return attributes.values();
}
