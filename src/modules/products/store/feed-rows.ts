/** Evidence: one row for every record of a feed, written in sets in the transaction of the run. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Change } from '../domain/plan/changes.ts';
import type { RowOutcome } from '../domain/plan/plan-context.ts';
import type { RowMessage } from '../domain/row.ts';

export interface Evidence {
  readonly row_number: number;
  readonly line_start: number;
  readonly line_end: number;
  readonly seller_sku: string | null;
  readonly product_id: string | null;
  readonly outcome: RowOutcome;
  readonly raw_sha256: Buffer;
  readonly resolution: unknown;
  readonly changes: readonly Change[];
  readonly messages: readonly RowMessage[];
  readonly cells: readonly string[] | null;
  /** Version of the product that the changes start from; 0 for a new one. */
  readonly product_version: number | null;
  /** Row of which a merged row became a part. */
  readonly part_of: number | null;
}

interface Column {
  readonly name: keyof Evidence;
  readonly type: string;
  readonly json?: true;
}
const COLUMNS: readonly Column[] = [
  { name: 'row_number', type: 'int' },
  { name: 'line_start', type: 'int' },
  { name: 'line_end', type: 'int' },
  { name: 'seller_sku', type: 'text' },
  { name: 'product_id', type: 'text' },
  { name: 'outcome', type: 'text' },
  { name: 'raw_sha256', type: 'bytea' },
  { name: 'resolution', type: 'json', json: true },
  { name: 'changes', type: 'json', json: true },
  { name: 'messages', type: 'json', json: true },
  { name: 'cells', type: 'json', json: true },
  { name: 'product_version', type: 'int' },
  { name: 'part_of', type: 'int' },
];
const LIST = COLUMNS.map(({ name }) => name).join(', ');
const INSERT =
  `insert into feed_row (seller_id, run_id, ${LIST}) select $1, $2, u.* ` +
  `from unnest(${COLUMNS.map(({ type }, index) => `$${index + 3}::${type}[]`).join(', ')}) as u`;

/** Empty lists are stored as null: most rows have no message. */
const json = (value: unknown): string | null =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)
    ? null
    : JSON.stringify(value);

export async function insertEvidence(
  db: Db,
  sellerId: string,
  runId: string,
  rows: readonly Evidence[],
): Promise<void> {
  if (rows.length === 0) return;
  const arrays = COLUMNS.map(({ name, json: asJson }) =>
    rows.map((row) => (asJson ? json(row[name]) : row[name])),
  );
  await db.run(sql(INSERT, [sellerId, runId, ...arrays]));
}

export interface EvidenceFilter {
  readonly runId: string;
  readonly outcome?: string | undefined;
  readonly code?: string | undefined;
  readonly sku?: string | undefined;
}

type Stored = Omit<Evidence, 'changes' | 'messages'> & {
  readonly changes: Change[] | null;
  readonly messages: RowMessage[] | null;
};

const toEvidence = (row: Stored): Evidence => ({
  ...row,
  changes: row.changes ?? [],
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
