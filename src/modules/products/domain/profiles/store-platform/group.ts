/**
 * The records of one product of a store-platform export: consecutive records with the same handle.
 * Source: docs/design/feeds-and-imports.md#store-platform-files.
 */
import type { FeedRow, ImageClaim } from '../../row.ts';
import type { Columns } from '../columns.ts';
import type { RowSite } from '../row-site.ts';
import type { StoreField } from './columns.ts';

/** A record holds a variant (or the whole product), pictures only, or nothing. */
export type StoreRowKind = 'product' | 'image' | 'nothing';

export interface StoreEntry {
  readonly site: RowSite;
  readonly cells: readonly string[];
  readonly kind: StoreRowKind;
  /** The row of a record that could not be read. */
  readonly fault: FeedRow | null;
}

export interface StoreGroup {
  readonly handle: string;
  readonly entries: StoreEntry[];
  /** First record with a title; only it has the columns of the product. */
  head: StoreEntry | null;
  /** Option names stand on the first record only and hold for the group. */
  optionNames: readonly string[];
  /** First row of an earlier group with the same handle. */
  readonly reappears: number | null;
  /** True when the file gave a title but no handle. */
  readonly handleDerived: boolean;
}

/** A record with any of these cells is a variant. */
const VARIANT_FIELDS = ['price', 'option1_value', 'sku', 'barcode', 'quantity'] as const;

export function hasVariantData(cells: readonly string[], columns: Columns<StoreField>): boolean {
  return VARIANT_FIELDS.some((field) => columns.text(cells, field) !== '');
}

export function storeRowKind(cells: readonly string[], columns: Columns<StoreField>): StoreRowKind {
  if (columns.text(cells, 'title') !== '' || hasVariantData(cells, columns)) return 'product';
  const image = columns.text(cells, 'image') !== '' || columns.text(cells, 'variant_image') !== '';
  return image ? 'image' : 'nothing';
}

export function optionNamesOf(cells: readonly string[], columns: Columns<StoreField>): readonly string[] {
  return (['option1_name', 'option2_name', 'option3_name'] as const).map((field) =>
    columns.text(cells, field),
  );
}

/** The pictures of a product, each address once, by Image Position; a blank position means the order in the file. */
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
  return [...found.values()].sort((one, other) => one.position - other.position).map((entry) => entry.claim);
}
