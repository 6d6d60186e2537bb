/** Statements on many deliveries about orders of a store. */
import { textArray } from '../../../platform/db/arrays.ts';
import { json, type RowOf, text } from '../../../platform/db/columns.ts';
import { command, part, raw, statement } from '../../../platform/db/statement.ts';
import { asRelation, type SellerDb } from '../../../platform/db/table.ts';
import { PRIVACY_KEY } from '../domain/read-delivery.ts';
import { type Decision, type DeliveryRow, deliveries } from './deliveries.ts';

/** The deliveries of a store about orders that wait, the oldest of each order, from an object on. They are locked. */
export const waitingOrders = (
  { db, seller_id }: SellerDb,
  channelId: string,
  from: string,
  limit: number,
): Promise<DeliveryRow[]> =>
  db.all(
    deliveries.select(
      seller_id,
      part`
        delivery_id = any(array(
          select distinct on (object_key) delivery_id
            from channel_delivery
           where seller_id = ${seller_id}
             and channel_id = ${channelId}
             and status = 'received'
             and object_key >= ${from}
             and object_key like 'order:%'
           order by object_key, received_at, delivery_id
           limit ${limit}))
        and status = 'received'
        and origin = 'webhook'
        order by object_key
          for update`,
    ),
  );

/** The orders among some that the store has asked to erase. */
export async function erasedOrders(
  { db, seller_id }: SellerDb,
  channelId: string,
  externalOrderIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.all(statement({ id: text })`
    select o.id
      from unnest(${textArray(externalOrderIds)}::text[]) as o (id)
     where exists (
           select
             from channel_delivery d
            where d.seller_id = ${seller_id}
              and d.channel_id = ${channelId}
              and d.object_key = ${PRIVACY_KEY}
              and d.body @> jsonb_build_object('order_ids', jsonb_build_array(o.id)))`);
  return new Set(rows.map(({ id }) => id));
}

const RECORDED = { delivery_id: text, decision: json<Decision>() };

/** Decides that deliveries were recorded, as `decide` does for one. */
export async function recordMany(
  { db, seller_id }: SellerDb,
  rows: readonly RowOf<typeof RECORDED>[],
  at: string,
): Promise<void> {
  const { from, element } = asRelation(RECORDED, rows);
  await db.run(command`
    update channel_delivery d
       set status = 'recorded',
           decision = ${raw(element('decision'))},
           processed_at = ${at}::timestamptz,
           copy = null,
           body = null
      from ${from} as u (delivery_id, decision)
     where d.seller_id = ${seller_id}
       and d.delivery_id = u.delivery_id`);
}
