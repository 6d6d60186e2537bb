/**
 * The records of one product of a store-platform export. They have the same handle and follow each other.
 * Source: docs/design/feeds-and-imports.md#store-platform-files.
 */
import { IMAGES_MAX } from '../../fields/limits.ts';
import type { NumberedRecord } from '../../record-rows.ts';
import type { FeedRow, ImageClaim } from '../../row.ts';
import type { Columns } from '../columns.ts';
import type { StoreField } from './columns.ts';

/** `product`: the record has a variant or the whole product. `image`: it has only pictures. `blank`: it has neither. */
type StoreRowKind = 'product' | 'image' | 'blank';

export interface StoreEntry {
  readonly numbered: NumberedRecord;
  readonly cells: readonly string[];
  readonly kind: StoreRowKind;
  /** The row of a record that cannot be mapped. */
  readonly fault: FeedRow | null;
}

export interface StoreGroup {
  readonly handle: string;
  readonly entries: StoreEntry[];
  /** The first record with a title. It states the fields that all variants share. */
  head: StoreEntry | null;
  /** The option names, which only the first record states. */
  optionNames: readonly string[];
  /** The first row of an earlier group with the same handle. */
  readonly reappears: number | null;
  /** Whether the handle was made from the title, because the file has none. */
  readonly handleDerived: boolean;
}

/** A record is a variant if one of these cells is not empty. */
const VARIANT_FIELDS = ['price', 'option1_value', 'sku', 'barcode', 'quantity'] as const;

export function hasVariantData(cells: readonly string[], columns: Columns<StoreField>): boolean {
  return VARIANT_FIELDS.some((field) => columns.text(cells, field) !== '');
}

export function storeRowKind(cells: readonly string[], columns: Columns<StoreField>): StoreRowKind {
  if (columns.text(cells, 'title') !== '' || hasVariantData(cells, columns)) return 'product';
  const image = columns.text(cells, 'image') !== '' || columns.text(cells, 'variant_image') !== '';
  return image ? 'image' : 'blank';
}

export function optionNamesOf(cells: readonly string[], columns: Columns<StoreField>): readonly string[] {
  return (['option1_name', 'option2_name', 'option3_name'] as const).map((field) =>
    columns.text(cells, field),
  );
}

/** The pictures of a product, each address once, sorted by Image Position. A blank position is the order in the file. */
export function collectImages(
  entries: readonly StoreEntry[],
  columns: Columns<StoreField>,
): readonly ImageClaim[] {
  const found = new Map<string, { position: number; claim: ImageClaim }>();
  for (const entry of entries) {
    const url = entry.fault === null ? columns.text(entry.cells, 'image') : '';
    if (url === '' || found.has(url)) continue;
    const alt = columns.text(entry.cells, 'image_alt');
    const position = Number.parseInt(columns.text(entry.cells, 'image_position'), 10);
    found.set(url, {
      position: Number.isNaN(position) ? found.size + 1 : position,
      claim: alt === '' ? { url } : { url, alt },
    });
  }
  const sorted = [...found.values()].sort((one, other) => one.position - other.position);
  // One more than a product may have tells the check that there are too many.
  return sorted.slice(0, IMAGES_MAX + 1).map(({ claim }) => claim);
}
