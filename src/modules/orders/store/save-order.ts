/** Writes the changes of an order: one statement for each table that has changes. */
import { isDeepStrictEqual } from 'node:util';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Order } from '../domain/order.ts';
import { CHILD_NAMES, CHILDREN, type ChildName, ORDER, PART_NAMES } from './tables.ts';

interface RowTable {
  readonly key: readonly string[];
  appendLater(at: SellerDb, rows: readonly object[]): void;
  delete(at: SellerDb, key: object): Promise<boolean>;
  upsertMany(at: SellerDb, rows: readonly object[]): Promise<number>;
}
const TABLES: Readonly<Record<ChildName, RowTable>> = CHILDREN;

const keyOf = ({ key }: RowTable, row: object): string =>
  key.map((name) => (row as Readonly<Record<string, unknown>>)[name]).join(' ');

/** Deletes the rows of a table that are gone, and writes those that are new or have changed. */
function saveRows(at: SellerDb, table: RowTable, before: readonly object[], after: readonly object[]) {
  const gone = new Map(before.map((row) => [keyOf(table, row), row]));
  const changed = after.filter((row) => !isDeepStrictEqual(gone.get(keyOf(table, row)), row));
  for (const row of after) gone.delete(keyOf(table, row));
  return [...[...gone.values()].map((row) => table.delete(at, row)), table.upsertMany(at, changed)];
}

/**
 * Sends all statements at once; PostgreSQL executes them in the order in which they are sent. Those of a new order go
 * out with the next statement of the transaction or with its commit, which saves a round trip.
 *
 * @param before undefined for an order that is new
 */
export async function saveOrder(at: SellerDb, before: Order | undefined, after: Order): Promise<void> {
  const { head } = after;
  const parts = PART_NAMES.filter((name) => after[name].length > 0);
  const row = { ...head, parts, parts_version: head.version };
  if (before === undefined) {
    ORDER.appendLater(at, [row]);
    for (const name of CHILD_NAMES) TABLES[name].appendLater(at, after[name]);
    return;
  }
  await Promise.all([
    ORDER.upsertMany(at, [row]),
    ...CHILD_NAMES.flatMap((name) => saveRows(at, TABLES[name], before[name], after[name])),
  ]);
}
