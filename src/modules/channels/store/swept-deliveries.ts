/** Deliveries that the service itself adds, because a store is other than what its deliveries have told. */
import type { Acting } from '../../../kernel/context.ts';
import { sha256Hex } from '../../../kernel/digest.ts';
import { boolean } from '../../../platform/db/columns.ts';
import { part, statement } from '../../../platform/db/statement.ts';
import { insertWithJob } from '../../../platform/jobs/job-statements.ts';
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

/** Each adds a job of its object: in the order in which the receiver locks such jobs. */
export const inOrderOfJobs = (swept: readonly SweptDelivery[]): SweptDelivery[] =>
  swept.toSorted((a, b) => (a.object_key < b.object_key ? -1 : 1));

/** What the deliveries of an object have told. */
function told(sellerId: string, channelId: string, { topic, object_key, changed_at }: SweptDelivery) {
  const [group = ''] = topic.split('/');
  const same = changed_at === null ? part`topic = ${topic}` : part`topic like ${`${group}/%`}`;
  return statement({ waits: boolean, told: boolean })`
    select coalesce(bool_or(status = 'received'), false) as waits,
           coalesce(bool_or(origin = 'webhook'
                            and ${same}
                            and coalesce(received_at >= ${changed_at}, true)), false) as told
      from channel_delivery
     where seller_id = ${sellerId}
       and channel_id = ${channelId}
       and object_key = ${object_key}`;
}

/**
 * Adds a delivery, unless one about the same object waits.
 *
 * @param until a change after this instant may still be told by the store
 * @returns whether it was added, and whether the store has failed to tell the change
 */
export async function addSwept(
  ctx: Acting,
  { channel_id, shop_domain }: ChannelRow,
  swept: SweptDelivery,
  until: string,
): Promise<{ readonly added: boolean; readonly missed: boolean }> {
  const { db, seller_id, ids } = ctx;
  const known = await db.one(told(seller_id, channel_id, swept));
  if (known?.waits === true) return { added: false, missed: false };
  const { topic, object_key, changed_at } = swept;
  const body = JSON.stringify(swept.body);
  const delivery_id = ids.next('cdl_');
  const insert = part`
    insert into channel_delivery
           (seller_id, delivery_id, channel_id, topic, webhook_id, triggered_at, body_sha256, body, object_key,
            origin, status, received_at)
    values (${seller_id}, ${delivery_id}, ${channel_id}, ${topic}, ${delivery_id}, ${changed_at}::timestamptz,
            ${sha256Hex(body)}, ${body}::jsonb, ${object_key}, 'sweep', 'received', ${ctx.at()}::timestamptz)`;
  const job = {
    jobId: ids.next('job_'),
    now: ctx.now(),
    kind: WORK_JOB,
    key: `${shop_domain}/${object_key}`,
  };
  await db.run(insertWithJob(insert, job));
  return { added: true, missed: known?.told !== true && (changed_at === null || changed_at <= until) };
}
