/** The history of products, except for changes by feeds. */
import type { Acting } from '../../../kernel/context.ts';
import { instant, integer, json, nullable, text } from '../../../platform/db/columns.ts';
import { defineTable, type SellerDb } from '../../../platform/db/table.ts';
import type { Change } from '../domain/plan/changes.ts';
import { packChanges, type StoredChange } from './stored-changes.ts';

interface ChangeRecord {
  readonly product_id: string;
  readonly version: number;
  /** For example `created`, `updated`, `archived`, `stock_set`, … */
  readonly action: string;
  readonly changes: readonly Change[];
}

/** Without its key, which the database generates. */
const changeRows = defineTable('product_change', ['product_id'], {
  product_id: text,
  version: integer,
  actor_kind: text,
  actor_id: nullable(text),
  action: text,
  request_id: nullable(text),
  delivery_id: nullable(text),
  changes: json<readonly StoredChange[]>('json'),
  changed_at: instant,
});

/** Inserts changes in the transaction that makes them. A buyer acts through the marketplace. */
export async function insertChanges(
  ctx: SellerDb & Pick<Acting, 'by' | 'correlation' | 'at'>,
  records: readonly ChangeRecord[],
): Promise<void> {
  const actor_kind = ctx.by.kind === 'buyer' ? 'marketplace' : ctx.by.kind;
  const { request_id, delivery_id = null } = ctx.correlation;
  const changed_at = ctx.at();
  const rows = records.map(({ changes, ...record }) => ({
    ...record,
    actor_kind,
    actor_id: ctx.by.id,
    request_id,
    delivery_id,
    changes: packChanges(changes),
    changed_at,
  }));
  changeRows.appendLater(ctx, rows);
}
