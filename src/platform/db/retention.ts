/** Deletes expired rows in batches, so that no lock is held for long. */
import type { WithSystem } from './scope.ts';
import { command, type Part, part, raw } from './statement.ts';

/** The rows of one statement, which takes some milliseconds. */
const BATCH_ROWS = 5_000;

/** Tables whose rows expire, with the indexed condition on their time. */
const EXPIRY = {
  idempotency_key: 'expires_at',
  auth_session: 'expires_at',
  rate_window: 'expires_at',
  notification: 'expires_at',
  shipping_quote: 'expires_at',
  channel_authorisation: 'expires_at',
  channel_delivery: 'received_at',
  provider_callback: 'received_at',
  channel_digest: 'first_seen_at',
  store_order: 'recorded_at',
  past_row: 'held_until',
  quality_event: 'day',
  quality_day: 'day',
  quality_order: 'day',
  search_report: 'ends_on',
  rfq: 'updated_at',
  purchase_order: "status in ('draft', 'received', 'cancelled') and updated_at",
  dropship_order: "status in ('shipped', 'returned', 'cancelled') and updated_at",
  supplier_item: `status = 'discontinued'
       and supplier_item_id not in (select supplier_item_id from v_wholesale_items)
       and supplier_item_id not in (select supplier_item_id from v_dropship_items)
       and supplier_item_id not in (select supplier_item_id from v_sourcing_items)
       and updated_at`,
  fact_sku_day: 'day',
  fact_outage: 'to_at',
  // One with open orders is kept until the job has erased them.
  buyer_erasure: "open_order_ids = '{}' and recorded_at",
  // An event without a number was not shown to its seller yet, so it is kept.
  outbox: 'sequence is not null and created_at',
} as const;
export type ExpiringTable = keyof typeof EXPIRY;

/** Rows of another table that are deleted together with a table's rows, and the columns that link them. */
const DEPENDENTS: Partial<Record<ExpiringTable, { readonly table: string; readonly by: string }>> = {
  outbox: { table: 'event_object', by: 'seller_id, object_id, sequence' },
};

function deletion(table: ExpiringTable, before: string): Part {
  const expired = part`
    delete from ${raw(table)}
     where ctid = any(array(
           select ctid from ${raw(table)} where ${raw(EXPIRY[table])} < ${before} limit ${BATCH_ROWS}))`;
  const dependent = DEPENDENTS[table];
  if (dependent === undefined) return expired;
  const by = raw(dependent.by);
  return part`
    with gone as (${expired} returning ${by}),
         dependents as (delete from ${raw(dependent.table)} where (${by}) in (select ${by} from gone))
    select from gone`;
}

/**
 * Deletes the rows of a table that expired before an instant.
 *
 * @param before milliseconds since the epoch, on the clock that the table follows
 * @returns the number of deleted rows
 */
export async function deleteExpired(
  withSystem: WithSystem,
  table: ExpiringTable,
  before: number,
  signal: AbortSignal,
): Promise<number> {
  const statement = command`${deletion(table, new Date(before).toISOString())}`;
  let total = 0;
  while (!signal.aborted) {
    const deleted = await withSystem('retention', 'single', (db) => db.run(statement));
    total += deleted;
    if (deleted < BATCH_ROWS) break;
  }
  return total;
}
