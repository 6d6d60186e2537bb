/**
 * The file of an import: the records of the store's export, and for each variant what it is here and in the store. The
 * import profile reads the product that a variant is, and ignores the other further columns.
 * Source: docs/design/channels.md#import.
 */
import { FACTS_COLUMN, writeFacts } from '../../products/domain/profiles/store-platform/variant-facts.ts';
import { exportColumns } from './export-records.ts';
import type { StoreProduct } from './store-product.ts';

/** A product of a store, with the variants that are to be imported. */
export interface ImportedProduct {
  readonly product: StoreProduct;
  readonly content_sha256: string;
  /** The product here that a variant is, by the id of the variant. */
  readonly linked: ReadonlyMap<string, string>;
}

/** The facts about a variant that a link keeps. */
const KEPT = {
  external_product_id: 'Store product id',
  external_variant_id: 'Store variant id',
  inventory_item_id: 'Store inventory item id',
  external_updated_at: 'Store updated at',
  content_sha256: 'Store content digest',
} as const;
type Kept = Readonly<Record<keyof typeof KEPT, string>>;

/** The key by which an import finds a product by its id, as exports write it. */
const keyOf = (productId: string): string => productId.replace('_', '-');

function extraCells({ product, content_sha256, linked }: ImportedProduct, index: number): string[] {
  const variant = product.variants[index];
  if (variant === undefined) return ['', ...Object.keys(KEPT).map(() => '')];
  const { external_variant_id, inventory_item_id } = variant;
  const here = linked.get(external_variant_id);
  const kept: Kept = {
    ...{ external_product_id: product.external_product_id, external_variant_id },
    ...{
      inventory_item_id: inventory_item_id ?? '',
      external_updated_at: product.updated_at,
      content_sha256,
    },
  };
  return [here === undefined ? '' : writeFacts({ key: keyOf(here) }), ...Object.values(kept)];
}

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const lineOf = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;

/**
 * Writes the file of an import.
 *
 * @param priced whether the store's prices are in the seller's currency; others are left out
 */
export function importFile(priced: boolean) {
  const { header: columns, recordsOf } = exportColumns(priced);
  const header = [...columns, FACTS_COLUMN, ...Object.values(KEPT)];
  return {
    header,
    priced,
    head: lineOf(header),
    linesOf: (imported: ImportedProduct): string =>
      recordsOf(imported.product)
        .map((cells, index) => lineOf([...cells, ...extraCells(imported, index)]))
        .join(''),
  };
}

/** What a record of the file keeps about its variant. @returns undefined for a record that is none */
export function keptFacts(header: readonly string[], cells: readonly string[]): Kept | undefined {
  const facts = Object.entries(KEPT).map(([field, name]) => [field, cells[header.indexOf(name)] ?? '']);
  const kept = Object.fromEntries(facts) as Kept;
  return kept.external_variant_id === '' ? undefined : kept;
}
