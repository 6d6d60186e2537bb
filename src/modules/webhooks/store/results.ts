/** What attempts have brought, written many at a time. All in the system's scope. */
import type { Statement } from '../../../kernel/context.ts';
import { intArray, textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { EndpointKey } from './endpoint-row.ts';

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** An attempt that is over. Instants in milliseconds. */
export interface AttemptResult extends EndpointKey {
  readonly delivery_id: string;
  readonly attempt: number;
  readonly step: number;
  /** The instant for which the delivery was read; null: by a worker that has lost its endpoint to another one since. */
  readonly due_at: string | null;
  readonly at: number;
  readonly duration_ms: number;
  readonly http_status: number | null;
  readonly error: string | null;
  readonly response_head: string | null;
  /** What becomes of the delivery. */
  readonly status: 'pending' | 'succeeded' | 'failed';
  readonly reason: string | null;
  readonly next_at: number | null;
  readonly completed_at: number | null;
  /** Of a test event: recorded, and no part of how the endpoint is doing. */
  readonly test: boolean;
}

const ATTEMPTS =
  'insert into webhook_attempt (seller_id, delivery_id, attempt, endpoint_id, at, duration_ms, status, error, response_head, test) ' +
  'select * from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::timestamptz[], $6::int[], $7::int[], $8::text[], $9::text[], $10::boolean[]) ' +
  'on conflict (seller_id, delivery_id, attempt) do nothing';

export function insertAttempts(results: readonly AttemptResult[]): Statement<unknown> {
  return sql(ATTEMPTS, [
    textArray(results.map(({ seller_id }) => seller_id)),
    textArray(results.map(({ delivery_id }) => delivery_id)),
    intArray(results.map(({ attempt }) => attempt)),
    textArray(results.map(({ endpoint_id }) => endpoint_id)),
    results.map(({ at }) => isoOrNull(at)),
    intArray(results.map(({ duration_ms }) => duration_ms)),
    intArray(results.map(({ http_status }) => http_status)),
    textArray(results.map(({ error }) => error)),
    textArray(results.map(({ response_head }) => response_head)),
    results.map(({ test }) => test),
  ]);
}

/**
 * Its seller has asked for the delivery anew while an attempt was under way that failed: it is due as it was asked for.
 * Or it is another worker's by now, who knows what waits for it, and when. And what is over or cancelled in the meantime
 * stays so.
 */
const KEPT =
  "(d.status <> 'pending' or (r.due_at is null or d.next_attempt_at <> r.due_at) and (r.status = 'pending' or r.reason = 'exhausted'))";
const unlessKept = (column: string, written = `r.${column}`): string =>
  `${column} = case when ${KEPT} then d.${column} else ${written} end`;

/** It decides nothing, and another attempt that began later was learnt of before it. */
const LATE = `(${KEPT} and r.attempt <= d.attempts and r.at < d.last_attempt_at)`;
const unlessLate = (column: string, written: string): string =>
  `${column} = case when ${LATE} then d.${column} else ${written} end`;

const RESULTS =
  `update webhook_delivery d set ${unlessKept('status')}, ${unlessKept('reason')}, ${unlessKept('step')}, ` +
  `${unlessKept('next_attempt_at', 'r.next_at')}, ${unlessKept('completed_at')}, ` +
  `attempts = greatest(d.attempts, r.attempt), ${unlessLate('last_attempt_at', 'r.at')}, ` +
  `${unlessLate('last_status', 'r.http_status')}, ${unlessLate('last_error', 'r.error')} ` +
  'from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::int[], $7::timestamptz[], $8::timestamptz[], $9::int[], $10::text[], ' +
  '$11::timestamptz[], $12::timestamptz[]) ' +
  'as r (seller_id, delivery_id, status, reason, attempt, step, next_at, at, http_status, error, completed_at, due_at) ' +
  "where d.seller_id = r.seller_id and d.delivery_id = r.delivery_id and (d.status = 'pending' or d.attempts < r.attempt)";

export function writeResults(results: readonly AttemptResult[]): Statement<unknown> {
  return sql(RESULTS, [
    textArray(results.map(({ seller_id }) => seller_id)),
    textArray(results.map(({ delivery_id }) => delivery_id)),
    textArray(results.map(({ status }) => status)),
    textArray(results.map(({ reason }) => reason)),
    intArray(results.map(({ attempt }) => attempt)),
    intArray(results.map(({ step }) => step)),
    results.map(({ next_at }) => isoOrNull(next_at)),
    results.map(({ at }) => isoOrNull(at)),
    intArray(results.map(({ http_status }) => http_status)),
    textArray(results.map(({ error }) => error)),
    results.map(({ completed_at }) => isoOrNull(completed_at)),
    results.map(({ due_at }) => due_at),
  ]);
}

/** Deliveries that wait behind an earlier one of their object, until that is done. */
export function park(deliveryIds: readonly string[], sellerIds: readonly string[]): Statement<unknown> {
  return sql(
    'update webhook_delivery d set next_attempt_at = null from unnest($1::text[], $2::text[]) as p (seller_id, delivery_id) ' +
      "where d.seller_id = p.seller_id and d.delivery_id = p.delivery_id and d.status = 'pending'",
    [textArray(sellerIds), textArray(deliveryIds)],
  );
}

/** What one endpoint has waiting about one object. */
export interface Lane extends EndpointKey {
  readonly objectId: string;
}

/** The deliveries that have waited in these lanes are due. */
export function unpark(lanes: readonly Lane[], now: number): Statement<unknown> {
  return sql(
    'update webhook_delivery d set next_attempt_at = $3 from unnest($1::text[], $2::text[]) as l (endpoint_id, object_id) ' +
      "where d.endpoint_id = l.endpoint_id and d.object_id = l.object_id and d.status = 'pending' and d.next_attempt_at is null",
    [
      textArray(lanes.map(({ endpoint_id }) => endpoint_id)),
      textArray(lanes.map(({ objectId }) => objectId)),
      isoOrNull(now),
    ],
  );
}

const FAILING =
  'update webhook_endpoint set failing_since = $3 where seller_id = $1 and endpoint_id = $2 and failing_since is null';
const HEALTHY = 'update webhook_endpoint set failing_since = null where seller_id = $1 and endpoint_id = $2';

export const markFailing = (sellerId: string, endpointId: string, since: number): Statement<unknown> =>
  sql(FAILING, [sellerId, endpointId, isoOrNull(since)]);
export const markHealthy = (sellerId: string, endpointId: string): Statement<unknown> =>
  sql(HEALTHY, [sellerId, endpointId]);
