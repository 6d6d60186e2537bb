/** Results of attempts, written many at a time in the system's scope. */
import { intArray, textArray } from '../../../platform/db/arrays.ts';
import { command, part, raw } from '../../../platform/db/statement.ts';
import type { EndpointKey } from './endpoints.ts';

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** An attempt that has ended. Instants are in milliseconds. */
export interface AttemptResult extends EndpointKey {
  readonly delivery_id: string;
  readonly attempt: number;
  readonly step: number;
  /** The instant of the delivery when it was read; null if the process has lost the lease since. */
  readonly due_at: string | null;
  readonly at: number;
  readonly duration_ms: number;
  readonly http_status: number | null;
  readonly error: string | null;
  readonly response_head: string | null;
  /** The new status of the delivery. */
  readonly status: 'pending' | 'succeeded' | 'failed';
  readonly reason: string | null;
  readonly next_at: number | null;
  readonly completed_at: number | null;
  /** Whether it is a test event. It is recorded, but does not count in the health of the endpoint. */
  readonly test: boolean;
}

/** The fields of the results as arrays, in the order of the columns. */
function arraysOf(results: readonly AttemptResult[]) {
  const texts = (pick: (one: AttemptResult) => string | null) =>
    part`${textArray(results.map(pick))}::text[]`;
  const ints = (pick: (one: AttemptResult) => number | null) => part`${intArray(results.map(pick))}::int[]`;
  const instants = (pick: (one: AttemptResult) => number | null) =>
    part`${results.map((one) => isoOrNull(pick(one)))}::timestamptz[]`;
  return {
    seller_id: texts((one) => one.seller_id),
    delivery_id: texts((one) => one.delivery_id),
    endpoint_id: texts((one) => one.endpoint_id),
    attempt: ints((one) => one.attempt),
    step: ints((one) => one.step),
    due_at: part`${results.map(({ due_at }) => due_at)}::timestamptz[]`,
    at: instants((one) => one.at),
    duration_ms: ints((one) => one.duration_ms),
    http_status: ints((one) => one.http_status),
    error: texts((one) => one.error),
    response_head: texts((one) => one.response_head),
    status: texts((one) => one.status),
    reason: texts((one) => one.reason),
    next_at: instants((one) => one.next_at),
    completed_at: instants((one) => one.completed_at),
    test: part`${results.map(({ test }) => test)}::boolean[]`,
  };
}

/** Records attempts. What the event said of a buyer may be erased by now; then the answer is not kept. */
export function insertAttempts(results: readonly AttemptResult[]) {
  const of = arraysOf(results);
  return command`
  insert into webhook_attempt (seller_id, delivery_id, attempt, endpoint_id, at, duration_ms, status, error,
                               response_head, test)
  select seller_id, delivery_id, attempt, endpoint_id, at, duration_ms, status, error,
         case when not (select d.forgets_answers
                          from webhook_delivery d
                         where d.seller_id = r.seller_id
                           and d.delivery_id = r.delivery_id) then response_head end,
         test
    from unnest(${of.seller_id}, ${of.delivery_id}, ${of.attempt}, ${of.endpoint_id}, ${of.at},
                ${of.duration_ms}, ${of.http_status}, ${of.error}, ${of.response_head}, ${of.test})
           as r (seller_id, delivery_id, attempt, endpoint_id, at, duration_ms, status, error, response_head, test)
      on conflict (seller_id, delivery_id, attempt) do nothing`;
}

/**
 * The result does not change the delivery, because the delivery has ended or was cancelled meanwhile. A failure also
 * changes nothing if meanwhile the seller has retried the delivery, or another process holds the endpoint.
 */
const KEPT = raw(`
  (d.status <> 'pending'
   or ((r.due_at is null or d.next_attempt_at <> r.due_at) and (r.status = 'pending' or r.reason = 'exhausted')))`);
/** The result does not change the delivery, because the result of a later attempt was written before it. */
const LATE = part`(${KEPT} and r.attempt <= d.attempts and r.at < d.last_attempt_at)`;

export function writeResults(results: readonly AttemptResult[]) {
  const of = arraysOf(results);
  return command`
  update webhook_delivery d
     set status = case when ${KEPT} then d.status else r.status end,
         reason = case when ${KEPT} then d.reason else r.reason end,
         step = case when ${KEPT} then d.step else r.step end,
         next_attempt_at = case when ${KEPT} then d.next_attempt_at else r.next_at end,
         completed_at = case when ${KEPT} then d.completed_at else r.completed_at end,
         attempts = greatest(d.attempts, r.attempt),
         last_attempt_at = case when ${LATE} then d.last_attempt_at else r.at end,
         last_status = case when ${LATE} then d.last_status else r.http_status end,
         last_error = case when ${LATE} then d.last_error else r.error end
    from unnest(${of.seller_id}, ${of.delivery_id}, ${of.status}, ${of.reason}, ${of.attempt}, ${of.step},
                ${of.next_at}, ${of.at}, ${of.http_status}, ${of.error}, ${of.completed_at}, ${of.due_at})
           as r (seller_id, delivery_id, status, reason, attempt, step,
                 next_at, at, http_status, error, completed_at, due_at)
   where d.seller_id = r.seller_id
     and d.delivery_id = r.delivery_id
     and (d.status = 'pending' or d.attempts < r.attempt)`;
}

/** Parks deliveries behind a failed event of their object. */
export const park = (
  keys: readonly { readonly seller_id: string; readonly delivery_id: string }[],
) => command`
  update webhook_delivery d
     set next_attempt_at = null
    from unnest(${textArray(keys.map(({ seller_id }) => seller_id))}::text[],
                ${textArray(keys.map(({ delivery_id }) => delivery_id))}::text[]) as p (seller_id, delivery_id)
   where d.seller_id = p.seller_id
     and d.delivery_id = p.delivery_id
     and d.status = 'pending'`;

/** Makes the parked deliveries of objects due. */
export const freeObjects = (
  objects: readonly { readonly endpoint_id: string; readonly object_id: string }[],
  now: number,
) => command`
  update webhook_delivery d
     set next_attempt_at = ${isoOrNull(now)}
    from unnest(${textArray(objects.map(({ endpoint_id }) => endpoint_id))}::text[],
                ${textArray(objects.map(({ object_id }) => object_id))}::text[]) as l (endpoint_id, object_id)
   where d.endpoint_id = l.endpoint_id
     and d.object_id = l.object_id
     and d.status = 'pending'
     and d.next_attempt_at is null`;
