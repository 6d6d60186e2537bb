import type { Statement } from '../../../kernel/context.ts';
import { bigintArray, intArray, textArray } from '../../../platform/db/arrays.ts';
import { command, type Part, part } from '../../../platform/db/statement.ts';
import { type Cleared, type NewNotification, ORDER, TITLE_CHARS_MAX } from '../domain/to-notifications.ts';

/** Acknowledges open notifications that a later event has settled. */
const SYSTEM = 'system';

/** Sellers, types and objects as rows. */
const rowsOf = (named: readonly Cleared[]): Part => part`
  select *
    from unnest(${textArray(named.map(({ seller_id }) => seller_id))}::text[],
                ${textArray(named.map(({ type }) => type))}::text[],
                ${textArray(named.map(({ object_id }) => object_id))}::text[])`;

/**
 * Locks open notifications before some are acknowledged and others updated. The acknowledgement of a member
 * locks them in the same order, so the two cannot deadlock.
 */
export const lockNotifications = (named: readonly Cleared[]): Statement<never> => command`
  select
    from notification n
   where (n.seller_id, n.type, n.object_id) in (${rowsOf(named)})
     and n.acknowledged_at is null
   order by n.seller_id, n.type, n.object_id
     for update`;

export const clearNotifications = (named: readonly Cleared[], at: string): Statement<never> => command`
  update notification n
     set acknowledged_at = ${at},
         acknowledged_by = ${SYSTEM}
   where (n.seller_id, n.type, n.object_id) in (${rowsOf(named)})
     and n.acknowledged_at is null`;

/**
 * Writes notifications of several sellers. One about a feed run names its file, one about an order its number. An open
 * one of the same type and object is updated instead.
 */
export function writeNotifications(rows: readonly NewNotification[]): Statement<never> {
  const column = <K extends keyof NewNotification>(name: K) => rows.map((row) => row[name]);
  // Rows are locked in the order of the acknowledgement, so that the two cannot deadlock.
  return command`
    insert into notification as n
           (seller_id, notification_id, sequence, event_id, type, severity, title, object_id, href, times,
            occurred_at, expires_at, acknowledged_at, acknowledged_by)
    select g.seller_id, g.notification_id, g.sequence, g.event_id, g.type, g.severity,
           left(replace(replace(g.title, g.object_id, coalesce(f.filename, g.object_id)),
                        ${ORDER}, coalesce(o.order_number, g.order_id, ${ORDER})), ${TITLE_CHARS_MAX}::int),
           g.object_id, g.href, g.times, g.occurred_at, g.expires_at, g.acknowledged_at,
           case when g.acknowledged_at is not null then ${SYSTEM} end
      from unnest(${textArray(column('seller_id'))}::text[], ${textArray(column('notification_id'))}::text[],
                  ${bigintArray(column('sequence'))}::bigint[], ${textArray(column('event_id'))}::text[],
                  ${textArray(column('type'))}::text[], ${textArray(column('severity'))}::text[],
                  ${textArray(column('title'))}::text[], ${textArray(column('object_id'))}::text[],
                  ${textArray(column('href'))}::text[], ${textArray(column('order_id'))}::text[],
                  ${intArray(column('times'))}::int[], ${column('occurred_at')}::timestamptz[],
                  ${column('expires_at')}::timestamptz[], ${column('acknowledged_at')}::timestamptz[])
        as g (seller_id, notification_id, sequence, event_id, type, severity, title, object_id, href, order_id, times,
              occurred_at, expires_at, acknowledged_at)
      left join v_orders_sold o on o.seller_id = g.seller_id and o.order_id = g.order_id
      left join v_products_feed_runs f on f.seller_id = g.seller_id and f.run_id = g.object_id
     where not exists (
           select 1 from notification_preference p where p.seller_id = g.seller_id and p.type = g.type)
       and not exists (
           select 1
             from v_sellers_trading t
            where t.seller_id = g.seller_id and g.type = 'inventory.low_stock' and not t.low_stock_alerts
              and t.held_until = 'infinity')
     order by g.seller_id, g.type, g.object_id collate "C"
        on conflict (seller_id, type, object_id) where acknowledged_at is null do update
       set sequence = excluded.sequence, event_id = excluded.event_id, severity = excluded.severity,
           title = excluded.title, href = excluded.href, times = n.times + excluded.times,
           occurred_at = excluded.occurred_at, expires_at = excluded.expires_at`;
}
