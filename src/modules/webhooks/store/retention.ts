import type { Statement } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Rows per statement: some milliseconds. */
export const RETENTION_BITE = 2_000;

const FORGET =
  'with gone as (delete from webhook_delivery where ctid = any(array(' +
  'select ctid from webhook_delivery where created_at < $1 limit $2::int for update skip locked)) returning seller_id, delivery_id), ' +
  'attempts as (delete from webhook_attempt a using gone where a.seller_id = gone.seller_id and a.delivery_id = gone.delivery_id) ' +
  'select count(*)::int as deleted from gone';

/** Deletes deliveries that are older than an instant, with their attempts. */
export function forgetDeliveries(before: number): Statement<{ readonly deleted: number }> {
  return sql(FORGET, [new Date(before).toISOString(), RETENTION_BITE]);
}

/** Replays end long before: their deliveries are gone then. */
export function forgetReplays(before: number): Statement<unknown> {
  return sql('delete from webhook_replay where created_at < $1', [new Date(before).toISOString()]);
}
