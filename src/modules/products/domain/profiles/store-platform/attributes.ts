import { unguardCell } from '../../../../../kernel/formula-guard.ts';
import type { FileMark } from '../../file-marks.ts';
import type { RowMessage } from '../../row.ts';
import { createAttributeSet } from '../attribute-set.ts';
import { isBlank, lookup } from '../cell.ts';
import type { StoreField } from './columns.ts';
import { hasVariantData } from './group.ts';
import type { StoreFile } from './store-file.ts';
import { statusMark } from './values.ts';

/** Attributes that the first record of a product states for all variants. */
const SHARED: readonly (readonly [attribute: string, field: StoreField])[] = [
  ['product_type', 'type'],
  ['tags', 'tags'],
  ['seo_title', 'seo_title'],
  ['seo_description', 'seo_description'],
  ['google_product_category', 'google_category'],
  ['gender', 'gender'],
  ['age_group', 'age_group'],
];

const OVERSELL: Readonly<Record<string, string>> = {
  deny: 'deny',
  false: 'deny',
  continue: 'allow',
  true: 'allow',
};

/** The attributes of one variant. An empty cell gives no attribute, so the product keeps its value. */
export function storeAttributes(
  file: StoreFile,
  head: readonly string[],
  cells: readonly string[],
  refusedCode: string | null,
  messages: RowMessage[],
): Readonly<Record<string, string | null>> {
  const { columns } = file;
  const attributes = createAttributeSet(messages);
  for (const [name, field] of SHARED) {
    attributes.addUntrimmed(name, columns.raw(cells, field) || columns.raw(head, field));
  }
  const vendor = columns.text(cells, 'vendor') || columns.text(head, 'vendor');
  // The vendor is often the store itself. This attribute shows that the brand was read from the vendor.
  if (vendor !== '') attributes.add('brand_source', 'vendor');
  attributes.add('weight_g', plainGrams(columns.text(cells, 'grams')));
  attributes.add('oversell', lookup(OVERSELL, columns.text(cells, 'oversell').toLowerCase()));
  attributes.add('barcode_raw', refusedCode);
  for (const { index, attribute } of file.metafields) {
    const cell = isBlank(cells[index]) ? head[index] : cells[index];
    attributes.addUntrimmed(attribute, unguardCell(cell ?? ''));
  }
  return { ...attributes.values(), ...marksOf(file, head, cells) };
}

/** What a later file that lacks the column cannot say: whether its status or its stock counts. */
function marksOf(
  { columns }: StoreFile,
  head: readonly string[],
  cells: readonly string[],
): Readonly<Partial<Record<FileMark, string | null>>> {
  const store_status = statusMark((field) => columns.text(cells, field) || columns.text(head, field));
  const isCounted = columns.text(cells, 'tracker') !== '';
  return {
    ...(store_status !== undefined && { store_status }),
    ...(columns.has('tracker') &&
      hasVariantData(cells, columns) && { stock_tracking: isCounted ? null : 'none' }),
  };
}

/** Reads `200.0` as `200`. The column is in grams, even if the store displays another unit. */
function plainGrams(text: string): string | undefined {
  if (!/^\d{1,9}(?:\.\d{1,12})?$/.test(text)) return undefined;
  return text.replace(/\.0+$/, '');
}
