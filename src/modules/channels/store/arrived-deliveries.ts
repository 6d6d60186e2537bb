/** Deliveries as they arrive: which of them are stored. Source: docs/design/channels.md#deliveries. */
import type { Statement } from '../../../kernel/context.ts';
import { type RowOf, text } from '../../../platform/db/columns.ts';
import { type Part, part, raw } from '../../../platform/db/statement.ts';
import { asRelation } from '../../../platform/db/table.ts';
import { insertWithJobs } from '../../../platform/jobs/job-statements.ts';
import { PLATFORM } from '../domain/words.ts';
import { ARRIVED, WORK_JOB } from './deliveries.ts';

const GIVEN = { ...ARRIVED, shop: text, job_id: text };
export type NewDelivery = RowOf<typeof GIVEN>;

/** The channel that has the store now; or every channel, of any seller, that ever had it. */
const RECEIVER = part`channel_shop c on true`;
const RECEIVERS = part`channel c on c.shop_id is not null`;
const listOf = (columns: object, alias: string): Part =>
  raw(
    Object.keys(columns)
      .map((name) => alias + name)
      .join(', '),
  );

/**
 * So many copies of a body wait at most. The first may be decided by what was read before the second came, so a second
 * one is needed. A third would be decided as the second is.
 */
const WAITING_MAX = 2;
/** What waits longer may fail soon, so it keeps back no copy. */
const KEEPS_BACK_MS = 3_600_000;

/**
 * Stores deliveries and plans their decisions, in one statement. One that was stored before, or of a store that no
 * channel has, is not stored; nor is one whose body waits twice under its topic, or was refused by itself. Copies in
 * `rows` count too. Copies of other statements that are not committed yet take the same numbers (`copy`, unique), so
 * they do not add up.
 *
 * @param all for each channel that ever had the store; the delivery has the same id in all of them
 */
export function storeDeliveries(
  rows: readonly NewDelivery[],
  all: boolean,
  now: number,
): Statement<{ readonly id: string }> {
  const { from, element } = asRelation(GIVEN, rows);
  const given = part`
    select u.delivery_id as id, u.shop || '/' || u.object_key as job_key,
           ${raw(Object.keys(GIVEN).map(element).join(', '))}
      from ${from} as u (${listOf(GIVEN, '')})`;
  const since = new Date(now - KEEPS_BACK_MS).toISOString();
  const insert = part`
    insert into channel_delivery (seller_id, channel_id, origin, copy, ${listOf(ARRIVED, '')})
    select n.seller_id, n.channel_id, 'webhook', n.last_copy + n.place, ${listOf(ARRIVED, 'n.')}
      from (
           select g.*, c.seller_id, c.channel_id, s.copies, s.last_copy,
                  row_number() over (
                      partition by c.seller_id, c.channel_id, g.body_sha256, g.status,
                                   case when g.status <> 'unsupported' then g.topic end
                      order by g.webhook_id) as place
             from given g
             join ${all ? RECEIVERS : RECEIVER}
              and c.platform = ${PLATFORM}
              and c.shop_domain = g.shop
            cross join lateral (
                  select count(*) filter (where d.status <> 'received' or d.received_at > ${since}::timestamptz)
                           as copies,
                         coalesce(max(d.copy), 0) as last_copy
                    from channel_delivery d
                   where d.seller_id = c.seller_id
                     and d.channel_id = c.channel_id
                     and d.body_sha256 = g.body_sha256
                     and d.origin = 'webhook'
                     and d.status = g.status
                     and (d.topic = g.topic or d.status = 'unsupported')) s
            where not exists (
                  select
                    from channel_delivery d
                   where d.seller_id = c.seller_id
                     and d.channel_id = c.channel_id
                     and d.webhook_id = g.webhook_id)
              and not exists (
                  select
                    from channel_delivery d
                   where d.seller_id = c.seller_id
                     and d.channel_id = c.channel_id
                     and d.event_id = g.event_id
                     and d.topic = g.topic
                     and d.object_key = g.object_key)) n
     where n.copies + n.place <= case n.status when 'received' then ${WAITING_MAX} else 1 end
     order by n.body_sha256, n.webhook_id
        on conflict do nothing
    returning delivery_id as id`;
  return insertWithJobs(given, insert, { kind: WORK_JOB, now });
}
