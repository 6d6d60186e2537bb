/**
 * Maps a handmade-listings download: one record, one listing. Price, stock and SKU of single variants are not
 * in the file, so a listing with variations waits as a draft; nothing is split evenly or paired by position.
 * Source: docs/design/feeds-and-imports.md#handmade-files.
 */
import type { FeedRow, IdentityClaim, ProductPatch, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { createAttributeSet } from '../attribute-set.ts';
import { cleanCell } from '../cell.ts';
import { listingKey } from '../file-key.ts';
import type { CreateMapper, HandmadeIdentityChoice } from '../profile.ts';
import { readPrice, readUnits } from '../read-number.ts';
import { createRowNumberer, faultOf, feedRow, type RowSite } from '../row-site.ts';
import { createKeyLedger, createSkuLedger, type KeyLedger, type SkuLedger } from '../sku-ledger.ts';
import { missingForSale } from '../staging.ts';
import { type HandmadeField, type HandmadeHeader, readHandmadeHeader } from './columns.ts';

interface HandmadeFile extends HandmadeHeader {
  readonly currency: string;
  readonly identity: HandmadeIdentityChoice;
  readonly skus: SkuLedger;
  readonly keys: KeyLedger;
}

type Text = (field: HandmadeField) => string;

export const createHandmadeMapper: CreateMapper = (header, context) => {
  const file: HandmadeFile = {
    ...readHandmadeHeader(header),
    currency: context.seller_currency,
    identity: context.handmade_identity ?? { strategy: 'exempt' },
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

function listingRow(file: HandmadeFile, site: RowSite): FeedRow {
  const { columns } = file;
  const { cells } = site.record;
  const text: Text = (field) => columns.text(cells, field);
  const messages: RowMessage[] = [];
  const images = imagesOf(file, cells);
  const key = listingKey(text('title'), images[0] ?? '');
  const varied = text('values1') !== '' || text('values2') !== '';
  const sku = varied ? null : readSku(file, text('sku'), site, messages);
  if (varied) messages.push(rowMessage('needs_variant_details'));
  if (sku === null) messages.push(...file.keys.claim(key, site.row_number));
  const patch: ProductPatch = {
    ...(sku === null ? { external_key: key } : { seller_sku: sku }),
    ...(text('title') === '' ? {} : { title: text('title') }),
    ...(text('description') === '' ? {} : { description: columns.raw(cells, 'description') }),
    identity: identityOf(file, sku, text),
    // The download holds running listings only.
    status: 'active',
    ...offerFields(file, text, varied, messages),
    ...(images.length === 0 ? {} : { images: images.map((url) => ({ url })) }),
    attributes: attributesOf(text, varied, messages),
  };
  const missing = missingForSale(patch, { title: columns.label('title'), price: columns.label('price') });
  messages.push(...missing);
  return feedRow(site, patch, messages, sku === null || missing.length > 0 ? { role: 'staged' } : {});
}

/** The SKU of a listing without variations; a comma list belongs to variants and is no SKU. */
function readSku(file: HandmadeFile, cell: string, site: RowSite, messages: RowMessage[]): string | null {
  const column = file.columns.label('sku');
  const single = cell.includes(',') ? '' : cell;
  const reading = file.skus.claim(single, column, site.row_number);
  messages.push(...reading.messages);
  return reading.sku;
}

/** Handmade goods have no code; the shop as brand and its SKU as MPN only when the seller chose that. */
function identityOf(file: HandmadeFile, sku: string | null, text: Text): IdentityClaim {
  const { identity } = file;
  const mpn = sku ?? (text('sku').includes(',') ? '' : text('sku'));
  if (identity.strategy === 'mpn_brand' && mpn !== '') {
    return { strategy: 'mpn_brand', mpn, brand: identity.shop_name };
  }
  return { strategy: 'exempt', reason: 'handmade', source: 'file' };
}

function offerFields(file: HandmadeFile, text: Text, varied: boolean, messages: RowMessage[]): ProductPatch {
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
  return {
    ...(typeof amount === 'bigint' ? { price_minor: amount } : {}),
    ...(currency === '' ? {} : { currency }),
    ...(varied ? { quantity: null } : quantityField(file, text, messages)),
  };
}

function quantityField(file: HandmadeFile, text: Text, messages: RowMessage[]): ProductPatch {
  const cell = text('quantity');
  if (cell === '') return {};
  const units = readUnits(cell);
  // Below zero is refused by the rule of the field.
  if (units !== null) return { quantity: units };
  const detail = { column: file.columns.label('quantity'), value: cell, expected: 'a whole number' };
  messages.push(rowMessage('type_invalid', detail));
  return {};
}

function imagesOf(file: HandmadeFile, cells: readonly string[]): readonly string[] {
  const urls = new Set(file.images.map((index) => cleanCell(cells[index])));
  urls.delete('');
  return [...urls];
}

/** Of a listing with variations the axes, the SKUs and the total stock are kept as information. */
function attributesOf(text: Text, varied: boolean, messages: RowMessage[]): Readonly<Record<string, string>> {
  const attributes = createAttributeSet(messages);
  // Tags are written with `_` for a blank.
  attributes.add('tags', text('tags').replaceAll('_', ' '));
  attributes.add('materials', text('materials'));
  if (!varied) return attributes.values();
  for (const axis of ['1', '2'] as const) {
    attributes.add(`variation_${axis}_name`, text(`name${axis}`) || text(`type${axis}`));
    attributes.add(`variation_${axis}_values`, text(`values${axis}`));
  }
  attributes.add('variation_skus', text('sku'));
  attributes.add('variation_total_quantity', text('quantity'));
  return attributes.values();
}
