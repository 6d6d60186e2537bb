/**
 * One record of an auction-site file as a row: a listing, or a variation completed from its parent.
 * Source: import-formats.md section 3, contract section 10 ("Profiles").
 */
import type { FeedRow, ProductPatch, ProductStatus, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { createAttributeSet } from '../attribute-set.ts';
import { listingKey, variantKey } from '../file-key.ts';
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

/** Reads a field of a record, or of its parent where the record leaves it empty. */
type Text = (field: AuctionField) => string;

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
  const text: Text = (field) => columns.text(cells, field);
  if (action === 'ignore') {
    const note = rowMessage('listing_action_ignored', {
      column: columns.label('action'),
      value: text('action'),
    });
    return feedRow(site, null, [note], { role: 'ignored' });
  }
  if (action === 'unknown' || (action === 'none' && text('sku') === '')) {
    const detail = { column: columns.label('action'), value: text('action'), expected: KNOWN_ACTIONS };
    return feedRow(site, null, [rowMessage('action_unknown', detail)]);
  }
  return productRow(file, site, text, action, auctionKey(file, cells), undefined);
}

const KNOWN_ACTIONS = 'Add, Revise, Relist, Draft, End, Status, VerifyAdd';

/** Maps a variation: its own cells first, its parent's where they are empty. */
export function variationRow(
  file: AuctionFile,
  site: RowSite,
  parent: ParentListing,
  options: readonly OptionValue[],
): FeedRow {
  const { columns } = file.header;
  const { cells } = site.record;
  const text: Text = (field) =>
    columns.text(cells, field) || (OWN_FIELDS.has(field) ? '' : columns.text(parent.cells, field));
  const key =
    columns.text(cells, 'sku') ||
    variantKey(
      parent.key,
      options.map((option) => option.value),
    );
  return productRow(file, site, text, parent.action, key, { parent, options });
}

/** Fields that a variation never takes from its parent. */
const OWN_FIELDS: ReadonlySet<AuctionField> = new Set(['sku', 'quantity', 'upc', 'ean', 'isbn', 'mpn']);

interface VariationPart {
  readonly parent: ParentListing;
  readonly options: readonly OptionValue[];
}

function productRow(
  file: AuctionFile,
  site: RowSite,
  text: Text,
  action: AuctionAction,
  key: string,
  variation: VariationPart | undefined,
): FeedRow {
  const { columns } = file.header;
  const messages: RowMessage[] = [];
  const sku = file.skus.claim(text('sku'), columns.label('sku'), site.row_number);
  messages.push(...sku.messages);
  if (sku.sku === null) messages.push(...file.keys.claim(key, site.row_number));
  const ending = action === 'end';
  const codes = (['upc', 'ean', 'isbn'] as const).map((field) => ({
    value: text(field),
    column: columns.label(field),
  }));
  const brand = text('brand') || text('manufacturer');
  const identity = readIdentity({ codes, mpn: text('mpn'), brand, absenceExempts: true });
  if (!ending) messages.push(...identity.messages);
  if (!ending && identity.claim === null) messages.push(identityRequired());
  const patch: ProductPatch = {
    external_key: key,
    ...(sku.sku === null ? {} : { seller_sku: sku.sku }),
    ...(identity.claim === null ? {} : { identity: identity.claim }),
    ...contentFields(file, site.record.cells, variation?.parent.cells, text, brand, action, messages),
    ...offerFields(file, text, action, messages),
    ...(variation === undefined ? {} : { variation: variationOf(variation.parent.key, variation.options) }),
    attributes: attributesOf(
      file,
      site.record.cells,
      variation?.parent.cells,
      text,
      identity.refusedCode,
      messages,
    ),
  };
  const labels = { title: columns.label('title'), price: columns.label('price') };
  const missing = ending ? [] : missingForSale(patch, labels);
  messages.push(...missing);
  const staged = sku.sku === null || identity.claim === null || missing.length > 0;
  const role = ending ? 'deactivate' : staged ? 'staged' : undefined;
  return feedRow(site, patch, messages, role === undefined ? {} : { role });
}

function contentFields(
  file: AuctionFile,
  cells: readonly string[],
  parentCells: readonly string[] | undefined,
  text: Text,
  brand: string,
  action: AuctionAction,
  messages: RowMessage[],
): ProductPatch {
  const { columns } = file.header;
  const description = columns.raw(cells, 'description') || columns.raw(parentCells ?? [], 'description');
  const condition = readAuctionCondition(text('condition'), columns.label('condition'), messages);
  const status = STATUS_OF_ACTION[action];
  const category = text('category') || text('category_name');
  const urls = new Set(
    text('pictures')
      .split('|')
      .map((url) => url.trim()),
  );
  urls.delete('');
  return {
    ...(text('title') === '' ? {} : { title: text('title') }),
    ...(description === '' ? {} : { description }),
    ...(brand === '' ? {} : { brand }),
    ...(category === '' ? {} : { category }),
    ...(condition === undefined ? {} : { condition }),
    ...(status === undefined ? {} : { status }),
    ...(urls.size === 0 ? {} : { images: [...urls].map((url) => ({ url })) }),
  };
}

/** Price in the currency of the file, and stock. */
function offerFields(
  file: AuctionFile,
  text: Text,
  action: AuctionAction,
  messages: RowMessage[],
): ProductPatch {
  const { header, sellerCurrency } = file;
  const { columns } = header;
  const price = sellingPrice(text);
  const stated = text('currency').toUpperCase() || header.currency;
  const currency = stated ?? currencyOfSymbol(price?.text ?? '') ?? sellerCurrency;
  if (currency !== sellerCurrency) {
    messages.push(rowMessage('currency_mismatch', { value: currency, expected: sellerCurrency }));
  }
  const amount = price === null ? undefined : readPrice(price.text, currency, header.decimalMark);
  if (typeof amount === 'string' && price !== null) {
    messages.push(rowMessage(amount, { column: columns.label(price.field), value: price.text }));
  }
  if (price === null && isAuctionFormat(text('format')) && action !== 'end') {
    const detail = { column: columns.label('buy_it_now'), value: text('price') };
    messages.push(rowMessage('auction_without_fixed_price', detail));
  }
  const quantity = text('quantity') === '' ? undefined : readUnits(text('quantity'));
  const usable = typeof quantity === 'number' && quantity >= 0;
  if (quantity !== undefined && !usable) {
    const detail = { column: columns.label('quantity'), value: text('quantity'), expected: 'a whole number' };
    messages.push(rowMessage('type_invalid', detail));
  }
  return {
    ...(typeof amount === 'bigint' ? { price_minor: amount } : {}),
    ...(stated === null || stated === '' ? {} : { currency: stated }),
    ...(usable ? { quantity } : {}),
  };
}

/** The price at which anybody can buy; the start price of an auction is none. */
function sellingPrice(text: Text): { readonly text: string; readonly field: AuctionField } | null {
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
  cells: readonly string[],
  parent: readonly string[] | undefined,
  text: Text,
  refusedCode: string | null,
  messages: RowMessage[],
): Readonly<Record<string, string>> {
  const attributes = createAttributeSet(messages);
  for (const [name, field] of ATTRIBUTES) attributes.add(name, text(field));
  for (const source of [cells, parent ?? []]) {
    for (const [index, name] of file.header.specifics) attributes.add(name, source[index]);
  }
  attributes.add('barcode_raw', refusedCode);
  return attributes.values();
}
