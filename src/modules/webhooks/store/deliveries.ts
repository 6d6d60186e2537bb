/** Delivery records. Each statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { Conditions } from '../../../platform/db/conditions.ts';
import { sql } from '../../../platform/db/sql.ts';

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
export const DELIVERY_TRIGGERS = ['event', 'test', 'retry', 'replay'] as const;

/** A delivery as stored; instants are RFC 3339. */
export interface DeliveryRow {
  readonly delivery_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly sequence: bigint | null;
  readonly type: string;
  readonly object_id: string;
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly trigger: (typeof DELIVERY_TRIGGERS)[number];
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly last_attempt_at: string | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly replay_id: string | null;
  readonly created_at: string;
  readonly completed_at: string | null;
}

const COLUMNS =
  'delivery_id, endpoint_id, event_id, sequence, type, object_id, status, reason, trigger, attempts, next_attempt_at, ' +
  'last_attempt_at, last_status, last_error, replay_id, created_at, completed_at';

export interface DeliveryFilter {
  readonly endpoint_id?: string | undefined;
  readonly event_id?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly type?: string | undefined;
  readonly replay_id?: string | undefined;
}

/** One more than the limit, newest first. */
export function listDeliveries(
  db: Db,
  sellerId: string,
  filter: DeliveryFilter,
  before: string | undefined,
  limit: number,
): Promise<DeliveryRow[]> {
  const where = new Conditions();
  where.add((p) => `seller_id = ${p}`, sellerId);
  for (const name of ['endpoint_id', 'event_id', 'status', 'type', 'replay_id'] as const)
    if (filter[name] !== undefined) where.add((p) => `${name} = ${p}`, filter[name]);
  // What is rare among all deliveries has an index that begins with the endpoint.
  const rare = filter.event_id !== undefined || filter.status === 'pending';
  if (rare && filter.endpoint_id === undefined)
    where.fixed(
      'endpoint_id = any(array(select w.endpoint_id from webhook_endpoint w where w.seller_id = $1))',
    );
  if (before !== undefined) where.add((p) => `delivery_id < ${p}`, before);
  const rows = where.value(limit + 1);
  const text = `select ${COLUMNS} from webhook_delivery where ${where.text} order by delivery_id desc limit ${rows}::int`;
  return db.all<DeliveryRow>(sql(text, where.values));
}

const ONE = `select ${COLUMNS} from webhook_delivery where seller_id = $1 and delivery_id = $2`;

export function findDelivery(db: Db, sellerId: string, deliveryId: string): Promise<DeliveryRow | undefined> {
  return db.one<DeliveryRow>(sql(ONE, [sellerId, deliveryId]));
}

/** The same, held until the end of the transaction. */
export function lockDelivery(db: Db, sellerId: string, deliveryId: string): Promise<DeliveryRow | undefined> {
  return db.one<DeliveryRow>(sql(`${ONE} for no key update`, [sellerId, deliveryId]));
}

export interface AttemptRow {
  readonly attempt: number;
  readonly at: string;
  readonly duration_ms: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response_head: string | null;
}

/** Attempts of a delivery, the first one first. */
export function listAttempts(db: Db, sellerId: string, deliveryId: string): Promise<AttemptRow[]> {
  return db.all<AttemptRow>(
    sql(
      'select attempt, at, duration_ms, status, error, response_head from webhook_attempt where seller_id = $1 and delivery_id = $2 order by attempt',
      [sellerId, deliveryId],
    ),
  );
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** Ends everything that is open. */
export async function cancelPending(
  db: Db,
  sellerId: string,
  endpointId: string,
  reason: 'skipped' | 'endpoint_deleted',
  now: number,
): Promise<void> {
  await db.run(
    sql(
      "update webhook_delivery set status = 'cancelled', reason = $3, next_attempt_at = null, completed_at = $4 " +
        "where seller_id = $1 and endpoint_id = $2 and status = 'pending'",
      [sellerId, endpointId, reason, iso(now)],
    ),
  );
}

/**
 * What is open is due, and what was given up since an instant is open again; each with its schedule from the start. Of
 * a replay what is so anyway is left alone: that may be hundreds of thousands.
 */
export async function requeueMissed(
  db: Db,
  sellerId: string,
  endpointId: string,
  failedSince: string | null,
  now: number,
): Promise<void> {
  await db.run(
    sql(
      "update webhook_delivery set status = 'pending', reason = null, step = 0, next_attempt_at = $4, completed_at = null " +
        'where seller_id = $1 and endpoint_id = $2 and ' +
        "((status = 'pending' and (trigger <> 'replay' or step > 0 or next_attempt_at is null or next_attempt_at > $4)) or (status = 'failed' and reason = 'exhausted' " +
        "and trigger <> 'test' and last_attempt_at >= $3::timestamptz))",
      [sellerId, endpointId, failedSince, iso(now)],
    ),
  );
}

/** Puts one delivery into the queue again, its schedule from the start. */
export async function requeueOne(db: Db, sellerId: string, deliveryId: string, now: number): Promise<void> {
  await db.run(
    sql(
      "update webhook_delivery set status = 'pending', reason = null, step = 0, next_attempt_at = $3, completed_at = null, " +
        "trigger = case when trigger = 'test' then trigger else 'retry' end where seller_id = $1 and delivery_id = $2",
      [sellerId, deliveryId, iso(now)],
    ),
  );
}

/** Whether the event of a number is still kept. */
export async function eventIsKept(db: Db, sellerId: string, sequence: bigint): Promise<boolean> {
  const found = await db.one(
    sql('select 1 from v_platform_event where seller_id = $1 and sequence = $2 and sequence > 0', [
      sellerId,
      sequence,
    ]),
  );
  return found !== undefined;
}

/** Adds the delivery of a test event, due at once. */
export async function insertTest(
  db: Db,
  test: {
    readonly sellerId: string;
    readonly deliveryId: string;
    readonly endpointId: string;
    readonly eventId: string;
    readonly type: string;
    /** The whole body as it is sent. */
    readonly body: string;
    readonly now: number;
  },
): Promise<void> {
  await db.run(
    sql(
      'insert into webhook_delivery (seller_id, delivery_id, endpoint_id, event_id, type, object_id, status, trigger, next_attempt_at, test_event, created_at) ' +
        "values ($1, $2, $3, $4, $5, $3, 'pending', 'test', $7, $6, $7)",
      [test.sellerId, test.deliveryId, test.endpointId, test.eventId, test.type, test.body, iso(test.now)],
    ),
  );
}
