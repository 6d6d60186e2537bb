/**
 * Maps a handmade-listings download: each record is one listing. The file does not have the price, stock and SKU of
 * each variant. So a listing with variations becomes a draft, and the mapper does not guess them from the lists.
 * Source: docs/design/feeds-and-imports.md#handmade-files.
 */
import { feedRow, type NumberedRecord, recordMapper } from '../../record-rows.ts';
import type { FeedRow, IdentityClaim, ProductPatch, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { createAttributeSet } from '../attribute-set.ts';
import { cleanCell } from '../cell.ts';
import { givenFields, imagesAt, inPart, readPriceAndCurrency, readQuantity } from '../field-readers.ts';
import { listingKey } from '../file-key.ts';
import type { CreateMapper, HandmadeIdentityChoice } from '../profile.ts';
import { readSku } from '../read-sku.ts';
import { reportMissing } from '../staging.ts';
import { type HandmadeField, type HandmadeHeader, readHandmadeHeader } from './columns.ts';

interface HandmadeFile extends HandmadeHeader {
  readonly currency: string;
  readonly identity: HandmadeIdentityChoice;
}

/** The pictures of a download. */
const IMAGES_MAX = 10;

/** What counts only for a listing without variations. */
const OF_VARIANTS = {
  seller_sku: 'variation_1_values',
  quantity: 'variation_1_values',
  status: 'variation_1_values',
} as const;

type Text = (field: HandmadeField) => string;

export const createHandmadeMapper: CreateMapper = (header, context) => {
  const file: HandmadeFile = {
    ...readHandmadeHeader(header),
    currency: context.seller_currency,
    identity: context.handmade_identity ?? { strategy: 'exempt' },
  };
  return recordMapper(header.length, (numbered) => listingRow(file, numbered));
};

function listingRow(file: HandmadeFile, numbered: NumberedRecord): FeedRow {
  const { columns } = file;
  const { cells } = numbered.record;
  const text: Text = (field) => columns.text(cells, field);
  const messages: RowMessage[] = [];
  const images = imagesAt(file.images.map((index) => cleanCell(cells[index])));
  const key = listingKey(text('title'), images?.[0]?.url ?? '');
  const varied = text('values1') !== '' || text('values2') !== '';
  // A list of SKUs belongs to the variants, so it is not the SKU of the listing.
  const cell = text('sku').includes(',') ? '' : text('sku');
  const sku = varied ? null : readSku(cell, columns.label('sku'), messages);
  if (varied) messages.push(rowMessage('needs_variant_details'));
  // Without the column of variants, a SKU or a count may be that of one variant, or of all together.
  const tellsVariants = columns.has('values1');
  const patch: ProductPatch = {
    external_key: (tellsVariants ? sku : null) ?? key,
    ...(sku === null ? {} : { seller_sku: sku }),
    identity: identityOf(file.identity, sku ?? cell),
    // The download lists active listings only, and has no column for the status.
    status: 'active',
    ...readPriceAndCurrency(columns, text, file.currency, messages),
    ...givenFields({
      title: text('title'),
      description: columns.raw(cells, 'description'),
      // The stock of a listing with variations is that of all together.
      quantity: varied
        ? undefined
        : readQuantity(text('quantity'), { column: columns.label('quantity'), messages }),
      images,
    }),
    ...inPart({
      status: true,
      images: images && file.images.length < IMAGES_MAX ? file.images.length : undefined,
      unqualified: tellsVariants ? undefined : OF_VARIANTS,
    }),
    attributes: attributesOf(columns, text, varied, messages),
  };
  const missing = reportMissing(patch, columns, messages);
  const staged = sku === null || missing;
  return feedRow(numbered, patch, messages, {
    former_keys: sku === null ? [key] : [key, sku],
    ...(staged ? { role: 'staged' } : {}),
  });
}

/** A handmade product has no code. The seller may choose that the shop is its brand and the SKU its MPN. */
function identityOf(choice: HandmadeIdentityChoice, mpn: string): IdentityClaim {
  return choice.strategy === 'mpn_brand' && mpn !== ''
    ? { strategy: 'mpn_brand', mpn, brand: choice.shop_name }
    : { strategy: 'exempt', reason: 'handmade', source: 'file' };
}

/** Tags and materials. Of a listing with variations also the options, the SKUs and the total stock. */
function attributesOf(
  columns: HandmadeHeader['columns'],
  text: Text,
  varied: boolean,
  messages: RowMessage[],
) {
  const attributes = createAttributeSet(messages);
  // The download writes a blank inside a tag as `_`.
  attributes.add('tags', text('tags').replaceAll('_', ' '));
  attributes.add('materials', text('materials'));
  if (!varied) return attributes.values();
  for (const axis of ['1', '2'] as const) {
    // The type stands for an empty name; where the column is absent, an earlier file has the name.
    const name = text(`name${axis}`) || (columns.has(`name${axis}`) ? text(`type${axis}`) : '');
    attributes.add(`variation_${axis}_name`, name);
    attributes.add(`variation_${axis}_values`, text(`values${axis}`));
  }
  attributes.add('variation_skus', text('sku'));
  attributes.add('variation_total_quantity', text('quantity'));
  return attributes.values();
}
