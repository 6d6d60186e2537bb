import type { Db } from '../../../../kernel/context.ts';
import type { Evidence } from '../../domain/feed-run/evidence.ts';
import { findColumn } from '../../domain/native-feed/find-column.ts';
import { nativeCells } from '../../domain/native-feed/native-cells.ts';
import { loadByIds, loadBySkus } from '../../store/load-products.ts';

/** The catalogue's present value for a column of a row. */
export type CurrentCell = (row: Evidence, column: number) => string;

export const NO_CELL: CurrentCell = () => '';

/**
 * The catalogue's values for cells that rows of JSON do not have: an empty cell would clear the field when the file is
 * fed back.
 *
 * @param header keys of the rows, as they were written
 */
export async function currentCells(
  db: Db,
  header: readonly string[],
  rows: readonly Evidence[],
): Promise<CurrentCell> {
  const partial = rows.filter(
    ({ cells }) => cells !== null && (cells.includes(null) || cells.length < header.length),
  );
  if (partial.length === 0) return NO_CELL;
  const products = [
    ...(await loadBySkus(
      db,
      partial.flatMap(({ seller_sku }) => seller_sku ?? []),
    )),
    ...(await loadByIds(
      db,
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
  const cells = new Map(
    nativeCells(family('attributes'), family('variation')).map((cell) => [cell.name, cell]),
  );
  return (row, column) => {
    const product = byName.get(row.seller_sku ?? '') ?? byName.get(row.product_id ?? '');
    const cell = cells.get(columns[column]?.name ?? '');
    return product === undefined || cell === undefined ? '' : String(cell.value(product) ?? '');
  };
}
