/** Evidence: one row for each record of a feed. The run's transaction writes it in batches. */
import type { Statement } from '../../../kernel/context.ts';
import { bytes, integer, json, nullable, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { allOf, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type SellerCursor, type SellerDb } from '../../../platform/db/table.ts';
import type { Evidence } from '../domain/feed-run/evidence.ts';
import type { RowOutcome } from '../domain/plan/row-outcome.ts';
import type { RowMessage } from '../domain/row.ts';
import { packChanges, type StoredChange, unpackChanges } from './stored-changes.ts';

const feedRows = defineTable('feed_row', ['run_id', 'row_number'], {
  run_id: text,
  row_number: integer,
  line_start: integer,
  line_end: integer,
  seller_sku: nullable(text),
  product_id: nullable(text),
  outcome: textOf<RowOutcome>(),
  raw_sha256: bytes,
  resolution: nullable(json<unknown>('json')),
  changes: nullable(json<readonly StoredChange[]>('json')),
  messages: nullable(json<readonly RowMessage[]>('json')),
  cells: nullable(json<readonly (string | null)[]>('json')),
  product_version: nullable(integer),
  part_of: nullable(integer),
});
type StoredRow = RowOf<typeof feedRows.columns>;

/** Empty lists are stored as null, because most rows have no finding. */
const orNull = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);

export async function insertEvidence(
  ctx: SellerDb,
  run_id: string,
  rows: readonly Evidence[],
): Promise<void> {
  const stored = rows.map((row): StoredRow => {
    const { changes, messages, resolution = null } = row;
    return { ...row, run_id, resolution, changes: orNull(packChanges(changes)), messages: orNull(messages) };
  });
  await feedRows.appendMany(ctx, stored);
}

export interface EvidenceFilter {
  readonly runId: string;
  readonly outcome?: string | undefined;
  readonly code?: string | undefined;
  readonly sku?: string | undefined;
}

const toEvidence = ({ run_id: _run, ...row }: StoredRow): Evidence => ({
  ...row,
  changes: unpackChanges(row.changes),
  messages: row.messages ?? [],
});

/** Evidence of a run after a row number, in the order of the file. */
function evidenceStatement(
  sellerId: string,
  { runId, outcome, code, sku }: EvidenceFilter,
  after: number,
  limit: number | null,
): Statement<StoredRow> {
  const found = code !== undefined && JSON.stringify([{ code }]);
  return statement(feedRows.columns)`
    select ${feedRows.list}
      from feed_row
     where seller_id = ${sellerId}
       and run_id = ${runId}
       and row_number > ${after}
       and ${allOf(
         outcome !== undefined && part`outcome = ${outcome}`,
         sku !== undefined && part`seller_sku = ${sku}`,
         found !== false && part`messages::jsonb @> ${found}::jsonb`,
       )}
     order by row_number
     limit ${limit}`;
}

export async function loadEvidence(
  { db, seller_id }: SellerDb,
  filter: EvidenceFilter,
  after: number,
  limit: number,
): Promise<Evidence[]> {
  return (await db.all(evidenceStatement(seller_id, filter, after, limit))).map(toEvidence);
}

const BATCH_ROWS = 1_000;

/** Streams the evidence of a run, in the order of the file. */
export async function* streamEvidence(
  { db, seller_id }: SellerCursor,
  filter: EvidenceFilter,
): AsyncGenerator<Evidence[]> {
  for await (const rows of db.cursor(evidenceStatement(seller_id, filter, 0, null), BATCH_ROWS))
    yield rows.map(toEvidence);
}
