import { unguardCell } from '../../../../../kernel/formula-guard.ts';
import type { RowMessage } from '../../row.ts';
import { createAttributeSet } from '../attribute-set.ts';
import { isBlank, lookup } from '../cell.ts';
import type { StoreField } from './columns.ts';
import type { StoreFile } from './store-file.ts';

/** Attributes that stand on the product's first record. */
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

/** Attributes of one variant; empty cells leave the attribute as it is. */
export function storeAttributes(
  file: StoreFile,
  head: readonly string[],
  cells: readonly string[],
  refusedCode: string | null,
  messages: RowMessage[],
): Readonly<Record<string, string>> {
  const { columns } = file;
  const attributes = createAttributeSet(messages);
  for (const [name, field] of SHARED) {
    attributes.addWritten(name, columns.raw(cells, field) || columns.raw(head, field));
  }
  const vendor = columns.text(cells, 'vendor') || columns.text(head, 'vendor');
  // A vendor is often the store itself, so a brand that was read from it says so.
  if (vendor !== '') attributes.add('brand_source', 'vendor');
  attributes.add('weight_g', plainGrams(columns.text(cells, 'grams')));
  attributes.add('oversell', lookup(OVERSELL, columns.text(cells, 'oversell').toLowerCase()));
  attributes.add('barcode_raw', refusedCode);
  for (const { index, attribute } of file.metafields) {
    const cell = isBlank(cells[index]) ? head[index] : cells[index];
    attributes.addWritten(attribute, unguardCell(cell ?? ''));
  }
  return attributes.values();
}

/** `200.0` → `200`; always grams, whatever unit the store displays. */
function plainGrams(text: string): string | undefined {
  if (!/^\d{1,9}(?:\.\d{1,12})?$/.test(text)) return undefined;
  return text.replace(/\.0+$/, '');
}
