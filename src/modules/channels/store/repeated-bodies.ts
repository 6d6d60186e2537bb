/** Bodies of deliveries that come again. Source: docs/design/channels.md#deliveries. */
import type { Db, Statement } from '../../../kernel/context.ts';
import { type RowOf, text } from '../../../platform/db/columns.ts';
import { command, statement } from '../../../platform/db/statement.ts';
import { asRelation, type SellerDb } from '../../../platform/db/table.ts';
import type { DeliveryStatus } from '../domain/delivery-words.ts';
import type { DeliveryRow } from './deliveries.ts';

/** Remembers a body for 30 days. @returns the delivery that had it before */
export async function rememberBody(
  db: Db,
  { body_sha256, channel_id, delivery_id }: Pick<DeliveryRow, 'body_sha256' | 'channel_id' | 'delivery_id'>,
  at: string,
  since: string,
): Promise<{ readonly channel_id: string; readonly delivery_id: string } | undefined> {
  const row = await db.one(statement({ channel_id: text, delivery_id: text })`
    insert into channel_digest as g (body_sha256, channel_id, delivery_id, first_seen_at)
    values (${body_sha256}, ${channel_id}, ${delivery_id}, ${at})
        on conflict (body_sha256) do update
           set channel_id = case when g.first_seen_at < ${since} then excluded.channel_id else g.channel_id end,
               delivery_id = case when g.first_seen_at < ${since} then excluded.delivery_id else g.delivery_id end,
               first_seen_at = greatest(g.first_seen_at,
                                        case when g.first_seen_at < ${since} then excluded.first_seen_at end)
    returning channel_id, delivery_id`);
  return row?.delivery_id === delivery_id ? undefined : row;
}

const REMEMBERED = { body_sha256: text, channel_id: text, delivery_id: text };

/** Remembers bodies that differ from one another. @returns the deliveries whose body is new, or was sent long ago */
export async function rememberBodies(
  db: Db,
  sent: readonly RowOf<typeof REMEMBERED>[],
  at: string,
  since: string,
): Promise<ReadonlySet<string>> {
  const { from } = asRelation(REMEMBERED, sent);
  const rows = await db.all(statement({ delivery_id: text })`
    insert into channel_digest as g (body_sha256, channel_id, delivery_id, first_seen_at)
    select body_sha256, channel_id, delivery_id, ${at}::timestamptz
      from ${from} as u (body_sha256, channel_id, delivery_id)
     order by body_sha256
        on conflict (body_sha256) do update
           set channel_id = excluded.channel_id,
               delivery_id = excluded.delivery_id,
               first_seen_at = excluded.first_seen_at
         where g.first_seen_at < ${since}::timestamptz
    returning delivery_id`);
  return new Set(rows.map(({ delivery_id }) => delivery_id));
}

/** Remembers a delivery instead of an earlier one of its channel with the same body. */
export const rememberInstead = ({
  body_sha256,
  channel_id,
  delivery_id,
}: Pick<DeliveryRow, 'body_sha256' | 'channel_id' | 'delivery_id'>): Statement<never> => command`
  update channel_digest
     set delivery_id = ${delivery_id}
   where body_sha256 = ${body_sha256}
     and channel_id = ${channel_id}`;

/**
 * A decision replaces the same one about the same body and topic, so that a body that is sent without end does not fill
 * the log. The delivery that the digest of the body names stays.
 */
export async function dropSame(
  { db, seller_id }: SellerDb,
  { delivery_id, channel_id, topic, body_sha256 }: DeliveryRow,
  status: DeliveryStatus,
): Promise<void> {
  await db.run(command`
    delete from channel_delivery d
     where d.seller_id = ${seller_id}
       and d.channel_id = ${channel_id}
       and d.body_sha256 = ${body_sha256}
       and d.origin = 'webhook'
       and d.topic = ${topic}
       and d.status = ${status}
       and d.delivery_id <> ${delivery_id}
       and not exists (
           select
             from channel_digest g
            where g.body_sha256 = d.body_sha256
              and g.delivery_id = d.delivery_id)`);
}
