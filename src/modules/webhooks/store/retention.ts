import { integer } from '../../../platform/db/columns.ts';
import { command, statement } from '../../../platform/db/statement.ts';

/** Rows of one statement, which takes some milliseconds. */
export const RETENTION_BATCH = 2_000;

/** Deletes deliveries that are older than an instant, with their attempts. */
export const deleteOldDeliveries = (before: string) => statement({ deleted: integer })`
  with gone as (
    delete from webhook_delivery
     where ctid = any(array(
             select ctid
               from webhook_delivery
              where created_at < ${before}
              limit ${RETENTION_BATCH}::int
                for update skip locked))
    returning seller_id, delivery_id),
  attempts as (
    delete from webhook_attempt a
     using gone
     where a.seller_id = gone.seller_id
       and a.delivery_id = gone.delivery_id)
  select count(*)::int as deleted
    from gone`;

/** A replay ends long before its deliveries are deleted. */
export const deleteOldReplays = (before: string) => command`
  delete from webhook_replay
   where created_at < ${before}`;
