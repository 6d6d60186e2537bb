import type { MissingComponent, SemanticStatus } from '../../../kernel/frame.ts';
import { date, instant, json, nullable, text, textOf, textsOf } from '../../../platform/db/columns.ts';
import { defineTable, type RowIn } from '../../../platform/db/table.ts';

export const snapshots = defineTable('insight_snapshot', ['contract'], {
  contract: text,
  facts_through_on: nullable(date),
  generated_at: instant,
  semantic_status: textOf<SemanticStatus>(),
  status_reason: nullable(text),
  missing: textsOf<MissingComponent>(),
  body: nullable(json<unknown>('json')),
});
export type Snapshot = RowIn<typeof snapshots>;
