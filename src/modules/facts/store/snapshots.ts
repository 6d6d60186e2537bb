import type { MissingComponent, SemanticStatus } from '../../../kernel/frame.ts';
import { date, instant, json, nullable, text, textOf, textsOf } from '../../../platform/db/columns.ts';
import { raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, type SellerDb } from '../../../platform/db/table.ts';

export const snapshots = defineTable('insight_snapshot', ['contract'], {
  contract: text,
  facts_through_on: nullable(date),
  generated_at: instant,
  semantic_status: textOf<SemanticStatus>(),
  status_reason: nullable(text),
  missing: textsOf<MissingComponent>(),
  body: nullable(json<unknown>('json')),
});
const { body: _, ...frame } = snapshots.columns;
const TEXT = { ...frame, body: nullable(text) };
const FRAME = raw(Object.keys(frame).join(', '));

/** A kept payload; its body is JSON. */
export const readText = ({ db, seller_id }: SellerDb, contract: string) =>
  db.one(statement(TEXT)`
    select ${FRAME}, body::text as body
      from insight_snapshot
     where seller_id = ${seller_id}
       and contract = ${contract}`);
