/**
 * One variant of a store-platform product as a row of the catalogue: its own cells, completed from the first
 * record of its product. Source: docs/design/feeds-and-imports.md#store-platform-files.
 */
import { unguardCell } from '../../../../../kernel/formula-guard.ts';
import type { FeedRow, ImageClaim, ProductPatch, RowMessage } from '../../row.ts';
import { rowMessage } from '../../row-codes.ts';
import { cleanCell, normaliseHeader } from '../cell.ts';
import type { Columns } from '../columns.ts';
import { boundedKey, variantKey } from '../file-key.ts';
import { readIdentity } from '../identity-claim.ts';
import { readPrice } from '../read-number.ts';
import { feedRow } from '../row-site.ts';
import type { SkuLedger } from '../sku-ledger.ts';
import { identityRequired, missingForSale } from '../staging.ts';
import { type OptionValue, variationOf } from '../variation.ts';
import { storeAttributes } from './attributes.ts';
import type { MetafieldColumn, StoreField } from './columns.ts';
import { optionNamesOf, type StoreEntry, type StoreGroup } from './group.ts';
import { readCondition, readStatus, readStock } from './values.ts';
import { readFacts, type VariantFacts } from './variant-facts.ts';

/** What holds for the whole file. */
export interface StoreFile {
  readonly columns: Columns<StoreField>;
  readonly metafields: readonly MetafieldColumn[];
  /** Normalised names of the columns, by position. */
  readonly names: readonly string[];
  /** Position of the column in which our own exports state what the others cannot. */
  readonly facts: number | null;
  readonly currency: string;
  readonly skus: SkuLedger;
}

/** What holds for the whole product. */
export interface StoreProduct {
  readonly group: StoreGroup;
  readonly images: readonly ImageClaim[];
  /** Keys that earlier variants of the product have taken, with their rows. */
  readonly keys: Map<string, number>;
}

/** Maps a variant record to its row. */
export function variantRow(file: StoreFile, product: StoreProduct, entry: StoreEntry): FeedRow {
  const { columns } = file;
  const { group } = product;
  const facts = file.facts === null ? {} : readFacts(unguardCell(cleanCell(entry.cells[file.facts])));
  const head = headCells(file, group, facts);
  const shared = (field: StoreField): string => columns.text(entry.cells, field) || columns.text(head, field);
  const messages: RowMessage[] = [];
  if (/^(?:true|yes|1)$/i.test(shared('gift_card'))) {
    messages.push(rowMessage('gift_card', { column: columns.label('gift_card') }));
  }
  const options = optionsOf(file, group, entry);
  const key = variantKey(
    group.handle,
    options.map((option) => option.value),
  );
  const sku = file.skus.claim(columns.text(entry.cells, 'sku'), columns.label('sku'), entry.site.row_number);
  const found = keyFindings(file, product, entry, key);
  // The same variant twice has the same SKU twice; once is enough to say.
  const twice = found.some(({ code }) => code === 'duplicate_in_file');
  messages.push(
    ...(twice ? sku.messages.filter(({ code }) => code !== 'sku_duplicate_in_file') : sku.messages),
  );
  messages.push(...found);
  const identity = readIdentity({
    codes: [{ value: columns.text(entry.cells, 'barcode'), column: columns.label('barcode') }],
    // Not inherited: one MPN for several variants would identify none of them.
    mpn: columns.text(entry.cells, 'mpn'),
    brand: shared('vendor'),
    absenceExempts: false,
  });
  messages.push(...identity.messages);
  if (identity.claim === null) messages.push(identityRequired());
  const patch: ProductPatch = {
    external_key: key,
    ...(sku.sku === null ? {} : { seller_sku: sku.sku }),
    ...(identity.claim === null ? {} : { identity: identity.claim }),
    ...productFields(file, head, entry, shared, messages),
    ...offerFields(file, entry, messages),
    ...(facts.pictures === undefined ? imagesOf(file, product, entry) : { images: facts.pictures }),
    ...(hasOptionColumns(columns) ? { variation: variationOf(group.handle, options) } : {}),
    attributes: storeAttributes(file, head, entry.cells, identity.refusedCode, messages),
  };
  const missing = missingForSale(patch, { title: columns.label('title'), price: columns.label('price') });
  messages.push(...missing);
  const staged = sku.sku === null || identity.claim === null || missing.length > 0;
  return feedRow(entry.site, patch, messages, {
    ...(staged ? { role: 'staged' } : {}),
    cells: () => standaloneCells(file, group, entry),
  });
}

/** What the first record of a product says for a variant: empty where the variant is said to have nothing. */
function headCells(file: StoreFile, { head }: StoreGroup, { none = [] }: VariantFacts): readonly string[] {
  const cells = head?.cells ?? [];
  if (none.length === 0) return cells;
  const empty = new Set(none.map(normaliseHeader));
  return cells.map((cell, index) => (empty.has(file.names[index] ?? '') ? '' : cell));
}

/** Fields that stand on the first record and hold for every variant. */
function productFields(
  file: StoreFile,
  head: readonly string[],
  entry: StoreEntry,
  shared: (field: StoreField) => string,
  messages: RowMessage[],
): ProductPatch {
  const { columns } = file;
  const title = shared('title');
  const description = columns.raw(entry.cells, 'description') || columns.raw(head, 'description');
  const vendor = shared('vendor');
  const category = shared('category') || shared('type');
  const status = readStatus(shared, columns, messages);
  const condition = readCondition(shared('condition'), columns, messages);
  const clearsDescription = head.length > 0 && columns.has('description');
  return {
    ...(title === '' ? {} : { title }),
    ...(description === '' ? (clearsDescription ? { description: null } : {}) : { description }),
    ...(vendor === '' ? {} : { brand: vendor }),
    ...(category === '' ? {} : { category }),
    ...(status === undefined ? {} : { status }),
    ...(condition === undefined ? {} : { condition }),
  };
}

/** Price and stock, which stand on the variant's own record. */
function offerFields(file: StoreFile, entry: StoreEntry, messages: RowMessage[]): ProductPatch {
  const { columns } = file;
  const price = readMoney(file, entry, 'price', messages);
  const compareAt = readMoney(file, entry, 'compare_at', messages);
  const quantity = readStock(entry.cells, columns, messages);
  const clearsCompareAt = compareAt === undefined && columns.has('compare_at');
  return {
    ...(price === undefined ? {} : { price_minor: price }),
    ...(compareAt === undefined ? {} : { compare_at_minor: compareAt }),
    ...(clearsCompareAt ? { compare_at_minor: null } : {}),
    ...(quantity === undefined ? {} : { quantity }),
  };
}

function readMoney(
  file: StoreFile,
  entry: StoreEntry,
  field: 'price' | 'compare_at',
  messages: RowMessage[],
): ProductPatch['price_minor'] | undefined {
  const text = file.columns.text(entry.cells, field);
  if (text === '') return undefined;
  const amount = readPrice(text, file.currency);
  if (typeof amount === 'bigint') return amount;
  messages.push(rowMessage(amount, { column: file.columns.label(field), value: text }));
  return undefined;
}

/** The options of a variant; `Title` = `Default Title` means that the product has none. */
function optionsOf(file: StoreFile, group: StoreGroup, entry: StoreEntry): readonly OptionValue[] {
  const own = optionNamesOf(entry.cells, file.columns);
  const options: OptionValue[] = [];
  for (const [index, field] of (['option1_value', 'option2_value', 'option3_value'] as const).entries()) {
    const value = file.columns.text(entry.cells, field);
    if (value === '' || isDefaultTitle(value)) continue;
    const name = own[index] || group.optionNames[index] || `Option${index + 1}`;
    const repeated = options.some((option) => option.name === name);
    options.push({ name: repeated ? `${name} (${index + 1})` : name, value });
  }
  return options;
}

function isDefaultTitle(value: string): boolean {
  return value.toLowerCase() === 'default title';
}

function hasOptionColumns(columns: Columns<StoreField>): boolean {
  return columns.has('option1_value');
}

/** The picture of the variant itself comes first, then those of the product; without any nothing is said. */
function imagesOf(
  file: StoreFile,
  product: StoreProduct,
  entry: StoreEntry,
): { images?: readonly ImageClaim[] } {
  const url = file.columns.text(entry.cells, 'variant_image');
  if (url === '') return product.images.length === 0 ? {} : { images: product.images };
  const known = product.images.find((image) => image.url === url);
  return { images: [known ?? { url }, ...product.images.filter((image) => image.url !== url)] };
}

function keyFindings(
  file: StoreFile,
  product: StoreProduct,
  entry: StoreEntry,
  key: string,
): readonly RowMessage[] {
  const { group, keys } = product;
  const column = file.columns.label('handle');
  const findings: RowMessage[] = [];
  if (group.handleDerived) findings.push(rowMessage('handle_missing', { column, expected: group.handle }));
  if (group.reappears !== null) {
    findings.push(
      rowMessage('handle_reappears', {
        column,
        value: group.handle,
        message: `The product began in row ${group.reappears} and other products stand between.`,
      }),
    );
  }
  const first = keys.get(key);
  if (first === undefined) keys.set(key, entry.site.row_number);
  else {
    findings.push(
      rowMessage('duplicate_in_file', {
        column,
        value: boundedKey(key),
        message: `Row ${first} of this file is the same product with the same options.`,
      }),
    );
  }
  return findings;
}

/** Columns whose empty cells mean "as above": filled in, a rejected record can be corrected and sent alone. */
const INHERITED: readonly StoreField[] = [
  'handle',
  'title',
  'description',
  'vendor',
  'category',
  'type',
  'tags',
  'published',
  'status',
  'gift_card',
  'condition',
];

function standaloneCells(file: StoreFile, group: StoreGroup, entry: StoreEntry): readonly string[] {
  const { columns } = file;
  const cells = [...entry.cells];
  const fill = (field: StoreField, value: string): void => {
    const index = columns.index(field);
    if (index !== -1 && columns.text(cells, field) === '') cells[index] = value;
  };
  for (const field of INHERITED) fill(field, group.head?.cells[columns.index(field)] ?? '');
  for (const [index, field] of (['option1_name', 'option2_name', 'option3_name'] as const).entries()) {
    if (columns.text(cells, `option${index + 1}_value` as StoreField) !== '') {
      fill(field, group.optionNames[index] ?? '');
    }
  }
  return cells;
}
