/** Evidence: one row for every record of a feed, written in sets in the transaction of the run. */

import type { Db } from '../../../kernel/context.ts';
import {
  type ArrayParameter,
  byteaArray,
  intArray,
  jsonArray,
  textArray,
} from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Evidence } from '../domain/feed-run/evidence.ts';
import type { RowMessage } from '../domain/row.ts';
import { packChanges, type StoredChange, unpackChanges } from './stored-changes.ts';

interface Column {
  readonly name: keyof Evidence;
  readonly type: 'int' | 'text' | 'bytea' | 'json';
  readonly array: (rows: readonly Evidence[]) => ArrayParameter;
}

/** Empty lists are stored as null: most rows have no message. */
const json = (value: unknown): string | null =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)
    ? null
    : JSON.stringify(value);

const int = (name: keyof Evidence, get: (row: Evidence) => number | null): Column => ({
  name,
  type: 'int',
  array: (rows) => intArray(rows.map(get)),
});
const text = (name: keyof Evidence, get: (row: Evidence) => string | null): Column => ({
  name,
  type: 'text',
  array: (rows) => textArray(rows.map(get)),
});
const jsonOf = (name: keyof Evidence, get: (row: Evidence) => unknown): Column => ({
  name,
  type: 'json',
  array: (rows) => jsonArray(rows.map((row) => json(get(row)))),
});
const asJson = (name: keyof Evidence): Column => jsonOf(name, (row) => row[name]);

const COLUMNS: readonly Column[] = [
  int('row_number', (row) => row.row_number),
  int('line_start', (row) => row.line_start),
  int('line_end', (row) => row.line_end),
  text('seller_sku', (row) => row.seller_sku),
  text('product_id', (row) => row.product_id),
  text('outcome', (row) => row.outcome),
  { name: 'raw_sha256', type: 'bytea', array: (rows) => byteaArray(rows.map((row) => row.raw_sha256)) },
  asJson('resolution'),
  jsonOf('changes', (row) => packChanges(row.changes)),
  asJson('messages'),
  asJson('cells'),
  int('product_version', (row) => row.product_version),
  int('part_of', (row) => row.part_of),
];
const LIST = COLUMNS.map(({ name }) => name).join(', ');
const INSERT =
  `insert into feed_row (seller_id, run_id, ${LIST}) select $1, $2, u.* ` +
  `from unnest(${COLUMNS.map(({ type }, index) => `$${index + 3}::${type}[]`).join(', ')}) as u`;

export async function insertEvidence(
  db: Db,
  sellerId: string,
  runId: string,
  rows: readonly Evidence[],
): Promise<void> {
  if (rows.length === 0) return;
  const arrays = COLUMNS.map(({ array }) => array(rows));
  await db.run(sql(INSERT, [sellerId, runId, ...arrays]));
}

export interface EvidenceFilter {
  readonly runId: string;
  readonly outcome?: string | undefined;
  readonly code?: string | undefined;
  readonly sku?: string | undefined;
}

type Stored = Omit<Evidence, 'changes' | 'messages'> & {
  readonly changes: StoredChange[] | null;
  readonly messages: RowMessage[] | null;
};

const toEvidence = (row: Stored): Evidence => ({
  ...row,
  changes: unpackChanges(row.changes),
  messages: row.messages ?? [],
});

/** Statement for the evidence of a run in file order; `after` is the last row number already seen. */
export function evidenceStatement(filter: EvidenceFilter, after: number, limit: number | null) {
  return sql<Stored>(
    `select ${LIST} from feed_row where run_id = $1 and row_number > $2 and ($3::text is null or outcome = $3) ` +
      'and ($4::text is null or seller_sku = $4) and ($5::text is null or messages::jsonb @> $5::jsonb) order by row_number limit $6',
    [
      filter.runId,
      after,
      filter.outcome ?? null,
      filter.sku ?? null,
      filter.code === undefined ? null : JSON.stringify([{ code: filter.code }]),
      limit,
    ],
  );
}

export async function loadEvidence(
  db: Db,
  filter: EvidenceFilter,
  after: number,
  limit: number,
): Promise<Evidence[]> {
  return (await db.all(evidenceStatement(filter, after, limit))).map(toEvidence);
}

/** All evidence of a run in batches, in file order; needs a transaction. */
export async function* streamEvidence(
  db: { cursor<R>(s: ReturnType<typeof sql<R>>, n: number): AsyncGenerator<R[]> },
  filter: EvidenceFilter,
  batchSize: number,
): AsyncGenerator<Evidence[]> {
  for await (const rows of db.cursor(evidenceStatement(filter, 0, null), batchSize))
    yield rows.map(toEvidence);
}
