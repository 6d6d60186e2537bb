/** Writes what changed of an order: one statement for each table that has something to write. */
import type { Db } from '../../../kernel/context.ts';
import type { Order } from '../domain/order.ts';
import {
  CHILD_NAMES,
  CHILDREN,
  deleteText,
  PART_NAMES,
  STORED_HEAD,
  type StoredHead,
  type Table,
  toParameter,
  upsertText,
} from './tables.ts';

const UPSERT_HEAD = upsertText(STORED_HEAD);
const UPSERTS = Object.fromEntries(
  CHILD_NAMES.map((name) => [name, upsertText<never>(CHILDREN[name] as never)]),
);

function keyOf<Row>({ key }: Table<Row>, row: Row): string {
  return key.map((column) => String(row[column as keyof Row])).join(' ');
}

/** Rows that are new or have changed. */
function changedRows<Row>(table: Table<Row>, before: readonly Row[], after: readonly Row[]): Row[] {
  const known = new Map(before.map((row) => [keyOf(table, row), toParameter(table, [row])]));
  return after.filter((row) => known.get(keyOf(table, row)) !== toParameter(table, [row]));
}

/** Rows that are gone. */
function goneRows<Row>(table: Table<Row>, before: readonly Row[], after: readonly Row[]): Row[] {
  const kept = new Set(after.map((row) => keyOf(table, row)));
  return before.filter((row) => !kept.has(keyOf(table, row)));
}

/**
 * Sends all statements at once; PostgreSQL executes them in the order in which they are sent.
 *
 * @param before undefined for an order that is new
 */
export async function saveOrder(
  db: Db,
  sellerId: string,
  before: Order | undefined,
  after: Order,
): Promise<void> {
  const head: StoredHead = {
    ...after.head,
    parts: PART_NAMES.filter((name) => after[name].length > 0),
    parts_version: after.head.version,
  };
  const statements = [{ text: UPSERT_HEAD, values: [sellerId, toParameter(STORED_HEAD, [head])] }];
  for (const name of CHILD_NAMES) {
    const table = CHILDREN[name] as Table<object>;
    const gone = goneRows<object>(table, before?.[name] ?? [], after[name]);
    if (gone.length > 0)
      statements.push({ text: deleteText(table), values: [sellerId, toParameter(table, gone)] });
    const rows = changedRows<object>(table, before?.[name] ?? [], after[name]);
    if (rows.length > 0)
      statements.push({ text: UPSERTS[name] ?? '', values: [sellerId, toParameter(table, rows)] });
  }
  await Promise.all(statements.map((statement) => db.run(statement)));
}
