/**
 * Maps one variant of a store-platform product to a row. Its empty cells have the values of the product's first record.
 * Source: docs/design/feeds-and-imports.md#store-platform-files.
 */
import { unguardCell } from '../../../../../kernel/formula-guard.ts';
import { feedRow } from '../../record-rows.ts';
import type { FeedRow, ImageClaim, PartialFields, ProductPatch, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { cleanCell, isBlank, normaliseHeader } from '../cell.ts';
import { givenFields, inPart, readAmount, readWord } from '../field-readers.ts';
import { boundedKey, type OptionValue, variantKey, variationOf } from '../file-key.ts';
import { readIdentity } from '../identity-claim.ts';
import { readSku } from '../read-sku.ts';
import { identityRequired, reportMissing } from '../staging.ts';
import { storeAttributes } from './attributes.ts';
import type { StoreField } from './columns.ts';
import { hasVariantData, optionNamesOf, type StoreEntry, type StoreGroup } from './group.ts';
import type { StoreFile } from './store-file.ts';
import { readStatus, readStock, STORE_CONDITIONS } from './values.ts';
import { factsWithin, marksOver, readFacts, type VariantFacts } from './variant-facts.ts';

export interface StoreProduct {
  readonly group: StoreGroup;
  readonly images: readonly ImageClaim[];
}

export function variantRow(file: StoreFile, product: StoreProduct, entry: StoreEntry): FeedRow {
  const { columns } = file;
  const { group } = product;
  const { cells, numbered } = entry;
  const facts = file.facts === null ? {} : readFacts(unguardCell(cleanCell(cells[file.facts])));
  const head = headCells(file, group, facts);
  const own = (field: StoreField): string => columns.text(cells, field);
  const shared = (field: StoreField): string => own(field) || columns.text(head, field);
  const messages: RowMessage[] = [];
  if (/^(?:true|yes|1)$/i.test(shared('gift_card'))) {
    messages.push(rowMessage('gift_card', { column: columns.label('gift_card') }));
  }
  const options = optionsOf(file, group, entry);
  const values = options.map(({ value }) => value);
  const key = facts.key === undefined ? variantKey(group.handle, values) : boundedKey(facts.key);
  const sku = readSku(own('sku'), columns.label('sku'), messages);
  messages.push(...handleFindings(columns.label('handle'), group));
  const { claim: identity, refusedCode } = readIdentity(
    {
      codes: [{ value: own('barcode'), column: columns.label('barcode') }],
      // A variant does not inherit the MPN, because one MPN for several variants would identify none of them.
      mpn: own('mpn'),
      brand: shared('vendor'),
      absenceIsExemption: false,
    },
    messages,
  );
  if (identity === null) messages.push(identityRequired());
  const images = facts.pictures ?? imagesOf(file, product, entry);
  const patch: ProductPatch = {
    external_key: key,
    ...(sku === null ? {} : { seller_sku: sku }),
    ...(identity === null ? {} : { identity }),
    ...productFields(file, head, entry, shared, messages),
    ...offerFields(file, entry, messages),
    ...givenFields({ images }),
    ...inPart({
      category: shared('category') === '' && shared('type') !== '' ? 'product_type' : undefined,
      images: images === undefined || tellsGallery(file, group) ? undefined : images.length,
      unqualified: unqualifiedOf(file, shared),
    }),
    ...(columns.has('option1_value') ? { variation: variationOf(group.handle, options) } : {}),
    attributes: marksOver(facts.marks, storeAttributes(file, head, cells, refusedCode, messages)),
  };
  const missing = reportMissing(patch, columns, messages);
  const staged = sku === null || identity === null || missing;
  return feedRow(numbered, patch, messages, {
    ...(staged ? { role: 'staged' } : {}),
    cells: (cellMax) => standaloneCells(file, product, entry, { cellMax, facts, images }),
  });
}

/** The cells of the product's first record, without those that have no value for this variant. */
function headCells(file: StoreFile, { head }: StoreGroup, { none = [] }: VariantFacts): readonly string[] {
  const cells = head?.cells ?? [];
  if (none.length === 0) return cells;
  const empty = new Set(none.map(normaliseHeader));
  return cells.map((cell, index) => (empty.has(file.names[index] ?? '') ? '' : cell));
}

/** The fields that the first record states for all variants. */
function productFields(
  { columns }: StoreFile,
  head: readonly string[],
  entry: StoreEntry,
  shared: (field: StoreField) => string,
  messages: RowMessage[],
): ProductPatch {
  const description = columns.raw(entry.cells, 'description') || columns.raw(head, 'description');
  const absent = head.length > 0 && columns.has('description') ? null : undefined;
  return givenFields({
    title: shared('title'),
    description: description === '' ? absent : description,
    brand: shared('vendor'),
    category: shared('category') || shared('type'),
    status: readStatus(shared, columns, messages),
    condition: readWord(STORE_CONDITIONS, shared('condition'), {
      column: columns.label('condition'),
      messages,
    }),
  });
}

/** Fields of which the file lacks the column that says whether they count. */
function unqualifiedOf(
  { columns }: StoreFile,
  shared: (field: StoreField) => string,
): PartialFields['unqualified'] {
  const status = columns.has('published') && shared('status') === '';
  const stock = columns.has('quantity') && !columns.has('tracker');
  if (!status && !stock) return undefined;
  return { ...(status && { status: 'store_status' }), ...(stock && { quantity: 'stock_tracking' }) };
}

/** The price and the stock of the variant. Only the record of a variant clears them by empty cells. */
function offerFields({ columns, currency }: StoreFile, { cells }: StoreEntry, messages: RowMessage[]) {
  const clears = hasVariantData(cells, columns);
  const money = (field: 'price' | 'compare_at') =>
    readAmount(columns.text(cells, field), currency, { column: columns.label(field), messages });
  const price = money('price');
  if (price === 0n) {
    messages.push(
      rowMessage('price_below_minimum', {
        column: columns.label('price'),
        value: columns.text(cells, 'price'),
        severity: 'warning',
        message: 'The price in the store is 0; a new product stays a draft until it has a price.',
      }),
    );
  }
  return givenFields({
    price_minor: price === 0n ? undefined : price,
    compare_at_minor: money('compare_at') ?? (clears && columns.has('compare_at') ? null : undefined),
    quantity: clears ? readStock(cells, columns, messages) : undefined,
  });
}

/** The options of a variant. A product without options has the option value `Default Title`. */
function optionsOf(file: StoreFile, group: StoreGroup, entry: StoreEntry): readonly OptionValue[] {
  const own = optionNamesOf(entry.cells, file.columns);
  const options: OptionValue[] = [];
  for (const [index, field] of (['option1_value', 'option2_value', 'option3_value'] as const).entries()) {
    const value = file.columns.text(entry.cells, field);
    if (value === '' || value.toLowerCase() === 'default title') continue;
    const name = own[index] || group.optionNames[index] || `Option${index + 1}`;
    const repeated = options.some((option) => option.name === name);
    options.push({ name: repeated ? `${name} (${index + 1})` : name, value });
  }
  return options;
}

/** Whether the file has all pictures of a product: both columns, and the first record, with which they begin. */
const tellsGallery = ({ columns }: StoreFile, { head }: StoreGroup): boolean =>
  head !== null && columns.has('image') && columns.has('variant_image');

/** The variant's own picture, followed by the pictures of the product. */
function imagesOf(file: StoreFile, { images }: StoreProduct, entry: StoreEntry) {
  const url = file.columns.text(entry.cells, 'variant_image');
  if (url === '') return images.length === 0 ? undefined : images;
  const known = images.find((image) => image.url === url);
  return [known ?? { url }, ...images.filter((image) => image.url !== url)];
}

function handleFindings(column: string, group: StoreGroup): readonly RowMessage[] {
  const findings: RowMessage[] = [];
  if (group.handleDerived) findings.push(rowMessage('handle_missing', { column, expected: group.handle }));
  if (group.reappears !== null) {
    findings.push(
      rowMessage('handle_reappears', {
        column,
        value: group.handle,
        message: `Row ${group.reappears} has the same handle, but rows of other products are between the two rows.`,
      }),
    );
  }
  return findings;
}

/** A record holds one picture, so alone it would replace the pictures of a product that has more. */
const PICTURES = ['image', 'image_position', 'image_alt', 'variant_image'] as const;

/** Columns whose empty cells mean "as above". */
const INHERITED = [
  ...([
    'handle',
    'title',
    'description',
    'vendor',
    'category',
    'type',
    'tags',
    'published',
    'status',
  ] as const),
  ...(['gift_card', 'condition', 'seo_title', 'seo_description'] as const),
  ...(['google_category', 'gender', 'age_group'] as const),
];

interface Completion {
  readonly cellMax: number;
  readonly facts: VariantFacts;
  readonly images: readonly ImageClaim[] | undefined;
}

/**
 * The cells of a record, completed from the first record, so that a corrected row can be sent alone. If the pictures
 * are those of other records too, they are facts in the column of facts, or behind the last column. A row for which
 * they are too long says nothing about pictures.
 */
function standaloneCells(
  file: StoreFile,
  { group }: StoreProduct,
  entry: StoreEntry,
  { cellMax, facts, images }: Completion,
): readonly string[] {
  const { columns } = file;
  const cells = [...entry.cells];
  const [only] = images?.length === 1 ? images : [];
  const own = { url: columns.text(cells, 'image'), alt: columns.text(cells, 'image_alt') };
  const isOnly = only !== undefined && only.url === own.url && (only.alt ?? '') === own.alt;
  if (images !== undefined && facts.pictures === undefined && !isOnly) {
    for (const field of PICTURES) if (columns.has(field)) cells[columns.index(field)] = '';
    const text = factsWithin(cellMax, { ...facts, pictures: images });
    if (text !== '') cells[file.facts ?? file.names.length] = text;
  }
  if (cellMax === 0) return cells;
  const fill = (field: StoreField, value: string): void => {
    const index = columns.index(field);
    if (index !== -1 && columns.text(cells, field) === '') cells[index] = value;
  };
  const head = headCells(file, group, facts);
  for (const field of INHERITED) fill(field, head[columns.index(field)] ?? '');
  for (const { index } of file.metafields)
    if (index !== file.facts && isBlank(cells[index])) cells[index] = head[index] ?? '';
  for (const [index, field] of (['option1_name', 'option2_name', 'option3_name'] as const).entries()) {
    if (columns.text(cells, `option${index + 1}_value` as StoreField) !== '') {
      fill(field, group.optionNames[index] ?? '');
    }
  }
  return cells;
}
