/** Deliveries of stores: stored once, decided once. Their list is the decision log. */
import type { Statement } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { instant, integer, json, nullable, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { allOf, type Part, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import { wakeUnique } from '../../../platform/jobs/job-statements.ts';
import type { DELIVERY_ORIGINS, DeliveryReason, DeliveryStatus } from '../domain/delivery-words.ts';
import { CUSTOMERS_REDACT } from '../domain/read-delivery.ts';
import { PLATFORM } from '../domain/words.ts';

export interface DecidedVariant {
  readonly external_variant_id: string;
  readonly product_id: string | null;
  /** As row results of feeds have it, or why nothing was applied. */
  readonly outcome: string;
  /** How the product was found. */
  readonly matched_by: string | null;
}

/** What a decision names. */
export interface Decision {
  /** The delivery that this one repeats. */
  readonly repeats_delivery_id?: string;
  /** The delivery that says something newer. */
  readonly newer_delivery_id?: string;
  /** The product whose stock it is about. */
  readonly product_id?: string;
  readonly store_order_id?: string;
  /** What became of each variant; at most 100. */
  readonly variants?: readonly DecidedVariant[];
  readonly deleted_orders?: number;
  /** Number of all changes, if not all are stored. */
  readonly changes_total?: number;
}
/** A finding about the content, as row results of feeds have them. */
export interface DeliveryMessage {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly product_id?: string;
  /** Field of the product. */
  readonly field?: string;
  readonly message: string;
  readonly before?: string | null;
  readonly after?: string | null;
}
export interface Change {
  /** The product, if the delivery is about products. */
  readonly product_id?: string;
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What arrives of a delivery. */
export const ARRIVED = {
  delivery_id: text,
  topic: text,
  webhook_id: text,
  event_id: nullable(text),
  triggered_at: nullable(instant),
  body_sha256: text,
  body: nullable(json<object>()),
  object_key: text,
  status: textOf<DeliveryStatus>(),
  reason: nullable(textOf<DeliveryReason>()),
  received_at: instant,
  processed_at: nullable(instant),
};
export const deliveries = defineTable('channel_delivery', ['delivery_id'], {
  ...ARRIVED,
  channel_id: text,
  origin: textOf<(typeof DELIVERY_ORIGINS)[number]>(),
  decision: json<Decision>(),
  changes: json<readonly Change[]>(),
  messages: json<readonly DeliveryMessage[]>(),
  issue_id: nullable(text),
});
export type DeliveryRow = RowIn<typeof deliveries>;

export const WORK_JOB = 'channels.deliveries';

/** A delivery of a product that waits and is newer than an instant. */
export const newerWaiting = (
  sellerId: string,
  channelId: string,
  objectKey: string,
  updatedAt: string,
): Statement<{ readonly delivery_id: string }> => statement({ delivery_id: text })`
  select delivery_id
    from channel_delivery
   where seller_id = ${sellerId}
     and channel_id = ${channelId}
     and object_key = ${objectKey}
     and status = 'received'
     and body -> 'product' ->> 'updated_at' > ${updatedAt}
   order by received_at desc
   limit 1`;

const history = { delivery_id: text, topic: text, triggered_at: nullable(instant), received_at: instant };

/** The last delivery about an object with a decision that counts, and the last one that said it was deleted. */
export const lastDecisions = (
  sellerId: string,
  channelId: string,
  objectKey: string,
): Statement<RowOf<typeof history>> => statement(history)`
  (select delivery_id, topic, triggered_at, received_at
     from channel_delivery
    where seller_id = ${sellerId}
      and channel_id = ${channelId}
      and object_key = ${objectKey}
      and status in ('applied', 'no_effect', 'needs_action')
      and topic <> 'products/delete'
    order by received_at desc, delivery_id desc
    limit 1)
   union all
  (select delivery_id, topic, triggered_at, received_at
     from channel_delivery
    where seller_id = ${sellerId}
      and channel_id = ${channelId}
      and object_key = ${objectKey}
      and status in ('applied', 'no_effect')
      and topic = 'products/delete'
    order by coalesce(triggered_at, received_at) desc
    limit 1)`;

const waiting = { seller_id: text, delivery_id: text, channel_id: text, topic: text, number: integer };
export type WaitingDelivery = RowOf<typeof waiting>;

/** An object of a store. */
interface StoreObject {
  readonly shop: string;
  readonly object_key: string;
}

/** Waiting deliveries about objects of stores, oldest first. `number` is the place of the object. */
export const waitingOf = (objects: readonly StoreObject[]): Statement<WaitingDelivery> => statement(waiting)`
  select d.seller_id, d.delivery_id, d.channel_id, d.topic, o.number::int as number
    from unnest(${textArray(objects.map(({ shop }) => shop))}::text[],
                ${textArray(objects.map(({ object_key }) => object_key))}::text[])
         with ordinality as o (shop, object_key, number)
    join channel c
      on c.platform = ${PLATFORM}
     and c.shop_domain = o.shop
    join channel_delivery d
      on d.seller_id = c.seller_id
     and d.channel_id = c.channel_id
     and d.object_key = o.object_key
     and d.status = 'received'
   order by o.number, d.received_at, d.delivery_id`;

/** Lets the worker look again at the levels of a store that wait. */
export const wakeLevels = (
  {
    seller_id,
    channel_id,
    shop,
  }: { readonly seller_id: string; readonly channel_id: string; readonly shop: string },
  now: number,
): Statement<never> =>
  wakeUnique(
    WORK_JOB,
    part`select ${shop} || '/' || object_key
           from channel_delivery
          where seller_id = ${seller_id}
            and channel_id = ${channel_id}
            and status = 'received'
            and object_key like 'level:%'`,
    now,
  );

export interface Outcome {
  readonly status: DeliveryStatus;
  readonly reason?: DeliveryReason;
  readonly decision?: Decision;
  readonly changes?: readonly Change[];
  readonly messages?: readonly DeliveryMessage[];
  readonly issue_id?: string | null;
}

const CHANGES_MAX = 100;
const TEXT_MAX = 500;

const cut = (value: string | null | undefined): string | null =>
  value === null || value === undefined || value.length <= TEXT_MAX
    ? (value ?? null)
    : `${value.slice(0, TEXT_MAX).toWellFormed()}…`;

/** A decision of bounded size: a store may change 2,048 variants with long texts at once. */
function bounded({ changes = [], messages = [], decision = {} }: Outcome) {
  return {
    changes: changes.slice(0, CHANGES_MAX).map((one) => ({
      ...one,
      before: cut(one.before),
      after: cut(one.after),
    })),
    messages: messages.map((one) => ({
      ...one,
      ...(one.before !== undefined && { before: cut(one.before) }),
      ...(one.after !== undefined && { after: cut(one.after) }),
    })),
    decision: { ...decision, ...(changes.length > CHANGES_MAX && { changes_total: changes.length }) },
  };
}

/** A decided delivery is no copy that waits. Of its body is kept what makes erased orders stay erased. */
const KEPT = part`copy = null, body = case when topic = ${CUSTOMERS_REDACT} then body end`;

/** Decides about a delivery; the part of its body that was stored is deleted. */
export async function decide(own: SellerDb, deliveryId: string, at: string, outcome: Outcome): Promise<void> {
  const { status, reason = null, issue_id = null } = outcome;
  const { decision, changes, messages } = bounded(outcome);
  await deliveries.change(
    own,
    part`status = ${status},
     reason = ${reason},
     decision = ${JSON.stringify(decision)},
     changes = ${JSON.stringify(changes)},
     messages = ${JSON.stringify(messages)},
     issue_id = ${issue_id},
     processed_at = ${at},
     ${KEPT}`,
    part`delivery_id = ${deliveryId}`,
  );
}

const GIVEN_UP = { seller_id: text, channel_id: text };
type GivenUp = RowOf<typeof GIVEN_UP>;

/** Marks the deliveries about one object that arrived before an instant as failed. */
export const giveUp = (
  shop: string,
  objectKey: string,
  until: string,
  at: string,
): Statement<GivenUp> => statement(GIVEN_UP)`
  update channel_delivery d
     set status = 'failed', reason = 'gave_up', processed_at = ${at}, ${KEPT}
    from channel c
   where c.platform = ${PLATFORM}
     and c.shop_domain = ${shop}
     and d.seller_id = c.seller_id
     and d.channel_id = c.channel_id
     and d.object_key = ${objectKey}
     and d.status = 'received'
     and d.received_at <= ${until}
  returning d.seller_id, d.channel_id`;

const counted = { status: textOf<DeliveryStatus>(), count: integer };

/** The deliveries of a channel since an instant, by what became of them. */
export const countByStatus = (sellerId: string, channelId: string, since: string) => statement(counted)`
  select status, count(*)::int as count
    from channel_delivery
   where seller_id = ${sellerId}
     and channel_id = ${channelId}
     and received_at >= ${since}
   group by status`;

export const oldestWaiting = (sellerId: string, channelId: string) => statement({ received_at: instant })`
  select received_at
    from channel_delivery
   where seller_id = ${sellerId}
     and channel_id = ${channelId}
     and status = 'received'
   order by received_at
   limit 1`;

export const lastDelivery = (sellerId: string, channelId: string) => statement({ received_at: instant })`
  select received_at
    from channel_delivery
   where seller_id = ${sellerId}
     and channel_id = ${channelId}
   order by received_at desc
   limit 1`;

interface DeliveryFilter {
  readonly channel_id?: string | undefined;
  readonly topic?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly external_id?: string | undefined;
  readonly product_id?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The objects of a product's links: the products of stores, and the levels of their items. */
const objectsOf = (sellerId: string, productId: string): Part => part`
  select 'product:' || l.external_product_id
    from channel_link l
   where l.seller_id = ${sellerId}
     and l.product_id = ${productId}
   union all
  select 'level:' || v.inventory_item_id || ':' || v.location_id
    from channel_link l
    join channel_level v
      on v.seller_id = ${sellerId}
     and v.channel_id = l.channel_id
     and v.inventory_item_id = l.inventory_item_id
   where l.seller_id = ${sellerId}
     and l.product_id = ${productId}`;

export const deliveryFilter = (sellerId: string, asked: DeliveryFilter): Part =>
  allOf(
    asked.channel_id !== undefined && part`channel_id = ${asked.channel_id}`,
    asked.topic !== undefined && part`topic = ${asked.topic}`,
    asked.status !== undefined && part`status = ${asked.status}`,
    asked.external_id !== undefined &&
      part`object_key = any(${[`order:${asked.external_id}`, `product:${asked.external_id}`]})`,
    asked.product_id !== undefined && part`object_key = any(array(${objectsOf(sellerId, asked.product_id)}))`,
    asked.from !== undefined && part`received_at >= ${asked.from}`,
    asked.to !== undefined && part`received_at < ${asked.to}`,
  );
