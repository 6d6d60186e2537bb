/** Statements on many deliveries of a store. */
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { json, type RowOf, text } from '../../../platform/db/columns.ts';
import { command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { asRelation, type SellerDb } from '../../../platform/db/table.ts';
import { endIdleJobs } from '../../../platform/jobs/job-statements.ts';
import { PRIVACY_KEY } from '../domain/read-delivery.ts';
import { PLATFORM } from '../domain/words.ts';
import { type Decision, type DeliveryRow, deliveries, WORK_JOB } from './deliveries.ts';

/** Deliveries that are decided together: those about objects whose key has a prefix, first those from an object on. */
export interface Together {
  readonly prefix: 'order:' | 'level:';
  readonly from: string;
  readonly limit: number;
}

/** Deliveries of a store that wait, the oldest of each object. They are locked. */
export function waitingTogether(
  at: SellerDb,
  channelId: string,
  { prefix, from, limit }: Together,
): Promise<DeliveryRow[]> {
  const oldestOf = (objects: Part): Part => part`
    select distinct on (object_key) delivery_id
      from channel_delivery
     where seller_id = ${at.seller_id}
       and channel_id = ${channelId}
       and status = 'received'
       and ${objects}
       and object_key >= ${prefix}
       and starts_with(object_key, ${prefix})
     order by object_key, received_at, delivery_id
     limit ${limit}`;
  return deliveries.all(
    at,
    part`
        delivery_id = any(array(
          (${oldestOf(part`object_key >= ${from}`)})
           union all
          (${oldestOf(part`object_key < ${from}`)})
           limit ${limit}))
        and status = 'received'
        and origin = 'webhook'
        order by object_key
          for update`,
  );
}

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

/** Ends the jobs of objects of a store about which nothing waits any more, in any channel that ever had the store. */
export function endJobs(db: Db, shop: string, objectKeys: readonly string[]): Promise<number> {
  const stillWaiting = part`
    select ${shop} || '/' || d.object_key
      from channel c
      join channel_delivery d
        on d.seller_id = c.seller_id
       and d.channel_id = c.channel_id
       and d.object_key = any(${textArray(objectKeys)}::text[])
       and d.status = 'received'
     where c.platform = ${PLATFORM}
       and c.shop_domain = ${shop}`;
  const keys = objectKeys.map((key) => `${shop}/${key}`);
  return endIdleJobs(db, { kind: WORK_JOB, keys }, stillWaiting);
}
