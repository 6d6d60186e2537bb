/** Deliveries that the service itself adds, because a store is other than what its deliveries have told. */
import type { Acting } from '../../../kernel/context.ts';
import { sha256Hex } from '../../../kernel/digest.ts';
import { boolean, instant, json, nullable, text } from '../../../platform/db/columns.ts';
import { part, raw, statement } from '../../../platform/db/statement.ts';
import { asRelation } from '../../../platform/db/table.ts';
import { insertWithJobs } from '../../../platform/jobs/job-statements.ts';
import type { ChannelRow } from './channels.ts';
import { WORK_JOB } from './deliveries.ts';

export interface SweptDelivery {
  readonly topic: string;
  readonly object_key: string;
  /** When the store changed the object; null: not known. */
  readonly changed_at: string | null;
  /** Null: the decision needs none. */
  readonly body: object | null;
}

const ASKED = { object_key: text, topic: text, changed_at: nullable(instant) };
const TOLD = { object_key: text, waits: boolean, told: boolean };

/** Whether a delivery about an object waits, and whether the deliveries of the store have told its change. */
function told(sellerId: string, channelId: string, swept: readonly SweptDelivery[]) {
  const { from, element } = asRelation(ASKED, swept);
  return statement(TOLD)`
    select o.object_key,
           exists (
             select
               from channel_delivery d
              where d.seller_id = ${sellerId}
                and d.channel_id = ${channelId}
                and d.object_key = o.object_key
                and d.status = 'received') as waits,
           exists (
             select
               from channel_delivery d
              where d.seller_id = ${sellerId}
                and d.channel_id = ${channelId}
                and d.object_key = o.object_key
                and d.origin = 'webhook'
                and d.received_at >= coalesce(o.changed_at, '-infinity')
                and (d.topic = o.topic
                     or (o.changed_at is not null
                         and split_part(d.topic, '/', 1) = split_part(o.topic, '/', 1)))) as told
      from (select ${raw(
        Object.keys(ASKED)
          .map((name) => `${element(name)} as ${name}`)
          .join(', '),
      )}
              from ${from} as u (object_key, topic, changed_at)) o`;
}

const ADDED = {
  delivery_id: text,
  job_id: text,
  topic: text,
  object_key: text,
  changed_at: nullable(instant),
  body: nullable(json<object>()),
  body_sha256: text,
};

/** Adds deliveries, and plans their decisions. */
export async function addDeliveries(
  ctx: Acting,
  { channel_id, shop_domain }: ChannelRow,
  added: readonly SweptDelivery[],
): Promise<void> {
  const { db, seller_id, ids } = ctx;
  const rows = added.map(({ topic, object_key, changed_at, body }) => ({
    ...{ delivery_id: ids.next('cdl_'), job_id: ids.next('job_'), topic, object_key, changed_at, body },
    body_sha256: sha256Hex(JSON.stringify(body)),
  }));
  const { from, element } = asRelation(ADDED, rows);
  const names = Object.keys(ADDED);
  const given = part`
    select u.delivery_id as id, ${shop_domain} || '/' || u.object_key as job_key,
           ${raw(names.map((name) => `${element(name)} as ${name}`).join(', '))}
      from ${from} as u (${raw(names.join(', '))})`;
  const insert = part`
    insert into channel_delivery
           (seller_id, delivery_id, channel_id, topic, webhook_id, triggered_at, body_sha256, body, object_key,
            origin, status, received_at)
    select ${seller_id}, delivery_id, ${channel_id}, topic, delivery_id, changed_at, body_sha256, body, object_key,
           'sweep', 'received', ${ctx.at()}::timestamptz
      from given
    returning delivery_id as id`;
  await db.run(insertWithJobs(given, insert, { kind: WORK_JOB, now: ctx.now() }));
}

/**
 * Adds those about whose object no delivery waits. The row of the channel is locked, so two who compare the store at once
 * add one between them.
 *
 * @param until a change after this instant may still be told by the store
 * @returns how many were added, and how many of their changes the store has failed to tell
 */
export async function addSwept(
  ctx: Acting,
  channel: ChannelRow,
  swept: readonly SweptDelivery[],
  until: string,
): Promise<{ readonly added: number; readonly missed: number }> {
  const byObject = new Map(swept.map((one) => [one.object_key, one]));
  if (byObject.size === 0) return { added: 0, missed: 0 };
  const known = await ctx.db.all(told(ctx.seller_id, channel.channel_id, [...byObject.values()]));
  const found = known.flatMap(({ object_key, waits, told: isTold }) => {
    const one = waits ? undefined : byObject.get(object_key);
    return one === undefined ? [] : [{ ...one, isTold }];
  });
  if (found.length === 0) return { added: 0, missed: 0 };
  await addDeliveries(ctx, channel, found);
  const isMissed = ({ isTold, changed_at }: (typeof found)[number]): boolean =>
    !isTold && (changed_at === null || changed_at <= until);
  return { added: found.length, missed: found.filter(isMissed).length };
}
