import type { SellerDb } from '../../../../platform/db/table.ts';
import { exportRowOf } from '../../domain/export/export-row.ts';
import { nativeExportColumns } from '../../domain/export/native-export.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import { findColumn } from '../../domain/native-feed/find-column.ts';
import { loadByIds, loadBySkus } from '../../store/load-products.ts';

/** The current value of a product for a column of its row. */
type CurrentCell = (row: Evidence, column: number) => string;

export const NO_CELL: CurrentCell = () => '';

/**
 * Rows of JSON need not have a cell for each column. A table does, and an empty cell clears the field when the seller
 * sends the table back. So missing cells get the current values of their product.
 *
 * @param header keys of the rows, as the file spells them
 */
export async function currentCells(
  at: SellerDb,
  header: readonly string[],
  rows: readonly Evidence[],
): Promise<CurrentCell> {
  const partial = rows.filter(
    ({ cells }) => cells !== null && (cells.includes(null) || cells.length < header.length),
  );
  if (partial.length === 0) return NO_CELL;
  const products = [
    ...(await loadBySkus(
      at,
      partial.flatMap(({ seller_sku }) => seller_sku ?? []),
    )),
    ...(await loadByIds(
      at,
      partial.flatMap(({ product_id }) => product_id ?? []),
    )),
  ];
  const byName = new Map(
    products.flatMap((product) => [
      [product.product_id, product],
      ...(product.seller_sku === null ? [] : [[product.seller_sku, product] as const]),
    ]),
  );
  const columns = header.map((name) => findColumn(name, []) ?? null);
  const family = (prefix: string) =>
    columns.flatMap((found) => (found?.column.name === `${prefix}.*` ? [found.suffix] : []));
  const names = { attributes: family('attributes'), axes: family('variation') };
  const cells = new Map(nativeExportColumns(names).map((cell) => [cell.name, cell]));
  return (row, column) => {
    const product = byName.get(row.seller_sku ?? '') ?? byName.get(row.product_id ?? '');
    const cell = cells.get(columns[column]?.name ?? '');
    return product === undefined || cell === undefined ? '' : String(cell.value(exportRowOf(product)) ?? '');
  };
}
