/**
 * Maps a handmade-listings download: each record is one listing. Price, stock and SKU of single variants are not in
 * the file, so a listing with variations becomes a draft; nothing is divided or paired by position.
 * Source: docs/design/feeds-and-imports.md#handmade-files.
 */
import type { FeedRow, IdentityClaim, ProductPatch, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { createAttributeSet } from '../attribute-set.ts';
import { cleanCell } from '../cell.ts';
import { givenFields, imagesAt, readPriceAndCurrency, readQuantity } from '../field-readers.ts';
import { listingKey } from '../file-key.ts';
import type { CreateMapper, HandmadeIdentityChoice } from '../profile.ts';
import { feedRow, type RowSite, recordMapper } from '../row-site.ts';
import { createKeyLedger, createSkuLedger, type KeyLedger, type SkuLedger } from '../sku-ledger.ts';
import { reportMissing } from '../staging.ts';
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
  return recordMapper(header.length, (site) => listingRow(file, site));
};

function listingRow(file: HandmadeFile, site: RowSite): FeedRow {
  const { columns } = file;
  const { cells } = site.record;
  const text: Text = (field) => columns.text(cells, field);
  const messages: RowMessage[] = [];
  const images = imagesAt(file.images.map((index) => cleanCell(cells[index])));
  const key = listingKey(text('title'), images?.[0]?.url ?? '');
  const varied = text('values1') !== '' || text('values2') !== '';
  // A list of SKUs belongs to variants and names no listing.
  const cell = text('sku').includes(',') ? '' : text('sku');
  const sku = varied ? null : file.skus.read(cell, columns.label('sku'), site.row_number, messages);
  if (varied) messages.push(rowMessage('needs_variant_details'));
  if (sku === null) file.keys.check(key, site.row_number, messages);
  const patch: ProductPatch = {
    ...(sku === null ? { external_key: key } : { seller_sku: sku }),
    identity: identityOf(file.identity, sku ?? cell),
    // The download lists active listings only.
    status: 'active',
    ...readPriceAndCurrency(columns, text, file.currency, messages),
    ...givenFields({
      title: text('title'),
      description: columns.raw(cells, 'description'),
      quantity: varied
        ? null
        : readQuantity(text('quantity'), { column: columns.label('quantity'), messages }),
      images,
    }),
    attributes: attributesOf(text, varied, messages),
  };
  const missing = reportMissing(patch, columns, messages);
  return feedRow(site, patch, messages, sku === null || missing ? { role: 'staged' } : {});
}

/** Handmade goods have no code; the seller may choose the shop as brand and the SKU as MPN. */
function identityOf(choice: HandmadeIdentityChoice, mpn: string): IdentityClaim {
  return choice.strategy === 'mpn_brand' && mpn !== ''
    ? { strategy: 'mpn_brand', mpn, brand: choice.shop_name }
    : { strategy: 'exempt', reason: 'handmade', source: 'file' };
}

/** The axes, the SKUs and the total stock of a listing with variations become attributes. */
function attributesOf(text: Text, varied: boolean, messages: RowMessage[]) {
  const attributes = createAttributeSet(messages);
  // Tags have `_` for a blank.
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
