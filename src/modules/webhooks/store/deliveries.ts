/** Delivery records. Each statement names the seller. */
import { bigint, instant, integer, nullable, text, textOf } from '../../../platform/db/columns.ts';
import { allOf, command, part, raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { DeliveryStatus, DeliveryTrigger } from '../domain/statuses.ts';

export const deliveries = defineTable('webhook_delivery', ['delivery_id'], {
  delivery_id: text,
  endpoint_id: text,
  event_id: text,
  sequence: nullable(bigint),
  type: text,
  object_id: text,
  status: textOf<DeliveryStatus>(),
  reason: nullable(text),
  trigger: textOf<DeliveryTrigger>(),
  attempts: integer,
  next_attempt_at: nullable(instant),
  last_attempt_at: nullable(instant),
  last_status: nullable(integer),
  last_error: nullable(text),
  replay_id: nullable(text),
  created_at: instant,
  completed_at: nullable(instant),
});
export type DeliveryRow = RowIn<typeof deliveries>;

interface DeliveryFilter {
  readonly endpoint_id?: string;
  readonly event_id?: string;
  readonly status?: DeliveryRow['status'];
  readonly type?: string;
  readonly replay_id?: string;
}

/** Deliveries, newest first; one row more than the limit. */
export function listDeliveries(
  { db, seller_id }: SellerDb,
  filter: DeliveryFilter,
  after: readonly (string | number)[] | undefined,
  limit: number,
): Promise<DeliveryRow[]> {
  const { endpoint_id, event_id, status } = filter;
  const equal = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [part`${raw(name)} = ${value}`],
  );
  // The indexes for rare statuses begin with the endpoint.
  const isRare = endpoint_id === undefined && (event_id !== undefined || status === 'pending');
  const ofAnyEndpoint = part`
    endpoint_id = any(array(select w.endpoint_id from webhook_endpoint w where w.seller_id = ${seller_id}))`;
  const where = allOf(...equal, isRare && ofAnyEndpoint);
  return deliveries.page(
    { db, seller_id },
    { where, order: ['delivery_id'], descending: true, after, limit },
  );
}

/** Attempts of a delivery, the first one first. */
export const listAttempts = ({ db, seller_id }: SellerDb, deliveryId: string) =>
  db.all(statement({
    attempt: integer,
    at: instant,
    duration_ms: integer,
    status: nullable(integer),
    error: nullable(text),
    response_head: nullable(text),
  })`
    select attempt, at, duration_ms, status, error, response_head
      from webhook_attempt
     where seller_id = ${seller_id}
       and delivery_id = ${deliveryId}
     order by attempt`);
export type AttemptRow = Awaited<ReturnType<typeof listAttempts>>[number];

/** Cancels all open deliveries of an endpoint. */
export async function cancelPending(
  { db, seller_id }: SellerDb,
  endpointId: string,
  reason: 'skipped' | 'endpoint_deleted',
  at: string,
): Promise<void> {
  await db.run(command`
    update webhook_delivery
       set status = 'cancelled', reason = ${reason}, next_attempt_at = null, completed_at = ${at}
     where seller_id = ${seller_id}
       and endpoint_id = ${endpointId}
       and status = 'pending'`);
}

/**
 * Makes open deliveries due, and reopens those that were given up since an instant, each with a new schedule. It leaves
 * out deliveries of a replay that are due already, because there may be hundreds of thousands.
 */
export async function requeueMissed(
  { db, seller_id }: SellerDb,
  endpointId: string,
  failedSince: string | null,
  at: string,
): Promise<void> {
  await db.run(command`
    update webhook_delivery
       set status = 'pending', reason = null, step = 0, next_attempt_at = ${at}, completed_at = null
     where seller_id = ${seller_id}
       and endpoint_id = ${endpointId}
       and ((status = 'pending'
             and (trigger <> 'replay' or step > 0 or next_attempt_at is null or next_attempt_at > ${at}))
            or (status = 'failed'
                and reason = 'exhausted'
                and trigger <> 'test'
                and last_attempt_at >= ${failedSince}::timestamptz))`);
}

/** Queues one delivery again, with a new schedule. */
export async function requeueOne({ db, seller_id }: SellerDb, deliveryId: string, at: string): Promise<void> {
  await db.run(command`
    update webhook_delivery
       set status = 'pending', reason = null, step = 0, next_attempt_at = ${at}, completed_at = null,
           trigger = case when trigger = 'test' then trigger else 'retry' end
     where seller_id = ${seller_id}
       and delivery_id = ${deliveryId}`);
}

/** Whether the database still has the event of a number. */
export async function eventIsKept({ db, seller_id }: SellerDb, sequence: bigint): Promise<boolean> {
  const found = await db.one(statement({ sequence: bigint })`
    select sequence
      from v_platform_event
     where seller_id = ${seller_id}
       and sequence = ${sequence}
       and sequence > 0`);
  return found !== undefined;
}

interface TestDelivery {
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly type: string;
  /** The whole body as it is sent. */
  readonly body: string;
}

/** Adds the delivery of a test event, due at once. */
export async function insertTest(
  { db, seller_id, at }: SellerDb & { at(): string },
  { delivery_id, endpoint_id, event_id, type, body }: TestDelivery,
): Promise<void> {
  await db.run(command`
    insert into webhook_delivery (seller_id, delivery_id, endpoint_id, event_id, type, object_id,
                                  status, trigger, next_attempt_at, test_event, created_at)
    values (${seller_id}, ${delivery_id}, ${endpoint_id}, ${event_id}, ${type}, ${endpoint_id},
            'pending', 'test', ${at()}, ${body}, ${at()})`);
}
