/**
 * Which worker delivers to which endpoint. One at a time: so an endpoint's order and concurrency need no word
 * between workers. Leases are on the system's clock; a worker that dies is replaced when they end.
 */
import type { Statement } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type EndpointRow, endpointColumnsOf } from './endpoint-row.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** Numbered events that are no deliveries yet. */
const FRESH =
  "(w.status = 'active' and exists (select 1 from event_sequence s where s.seller_id = w.seller_id and s.last > w.fanned_through))";
/** Deliveries whose instant has come, $2. */
const DUE =
  "(w.status = 'active' and exists (select 1 from webhook_delivery d where d.endpoint_id = w.endpoint_id " +
  "and d.status = 'pending' and d.next_attempt_at <= $2))";
/** Test events go to endpoints of any status. */
const TESTS =
  "exists (select 1 from webhook_delivery d where d.endpoint_id = w.endpoint_id and d.status = 'pending' and d.trigger = 'test')";

/** All that is open waits behind something that is over: left behind by a worker that died at that instant. */
const STRANDED =
  "(w.status = 'active' and exists (select 1 from webhook_delivery d where d.endpoint_id = w.endpoint_id and d.status = 'pending' " +
  'and d.next_attempt_at is null) and not exists (select 1 from webhook_delivery d where d.endpoint_id = w.endpoint_id ' +
  "and d.status = 'pending' and d.next_attempt_at is not null))";

const ACQUIRE =
  'update webhook_endpoint e set lease_owner = $1, lease_until = $3 from (' +
  'select w.seller_id, w.endpoint_id from webhook_endpoint w ' +
  `where w.status <> 'deleted' and (w.lease_until is null or w.lease_until < $4) and (${FRESH} or ${DUE} or ${TESTS} or ${STRANDED}) ` +
  'limit $5 for no key update of w skip locked) free ' +
  `where e.seller_id = free.seller_id and e.endpoint_id = free.endpoint_id returning ${endpointColumnsOf('e')}`;

export interface Lease {
  readonly owner: string;
  /** The service's time: what is due. */
  readonly now: number;
  /** The system's time, and when the lease ends on it. */
  readonly leaseNow: number;
  readonly leaseUntil: number;
}

/** Takes endpoints that have something to do and are nobody's. */
export function acquireEndpoints(lease: Lease, max: number): Statement<EndpointRow> {
  const { owner, now, leaseNow, leaseUntil } = lease;
  return sql(ACQUIRE, [owner, iso(now), iso(leaseUntil), iso(leaseNow), max]);
}

/** A held endpoint as it stands, and what there is to do. */
export interface HeldRow extends EndpointRow {
  readonly fresh: boolean;
  /** Deliveries that are due, counted up to a bound. */
  readonly due: number;
}

const LOOK =
  `select ${endpointColumnsOf('w')}, ${FRESH} as fresh, ` +
  "(select count(*)::int from (select 1 from webhook_delivery d where d.endpoint_id = w.endpoint_id and d.status = 'pending' " +
  "and d.next_attempt_at <= $2 and (w.status = 'active' or d.trigger = 'test') limit $4) counted) as due " +
  "from webhook_endpoint w where w.lease_owner = $1 and w.endpoint_id = any($3) and w.status <> 'deleted'";

/** The endpoints among those that the worker believes to hold that it does hold. */
export function lookAtHeld(
  owner: string,
  now: number,
  endpointIds: readonly string[],
  dueMax: number,
): Statement<HeldRow> {
  return sql(LOOK, [owner, iso(now), textArray(endpointIds), dueMax]);
}

export function renewLeases(
  owner: string,
  leaseUntil: number,
  endpointIds: readonly string[],
): Statement<unknown> {
  const text =
    'update webhook_endpoint set lease_until = $2 where lease_owner = $1 and endpoint_id = any($3)';
  return sql(text, [owner, iso(leaseUntil), textArray(endpointIds)]);
}

export function releaseLeases(owner: string, endpointIds: readonly string[]): Statement<unknown> {
  const text =
    'update webhook_endpoint set lease_owner = null, lease_until = null where lease_owner = $1 and endpoint_id = any($2)';
  return sql(text, [owner, textArray(endpointIds)]);
}

const FIRST_DUE =
  'select min(d.next_attempt_at) as at from webhook_delivery d join webhook_endpoint w using (seller_id, endpoint_id) ' +
  "where d.status = 'pending' and (w.status = 'active' or (d.trigger = 'test' and w.status <> 'deleted'))";
const ANY_FRESH = `select exists (select 1 from webhook_endpoint w where ${FRESH}) as fresh`;

/** The instant of the first attempt that is to be made. */
export const firstAttemptDue: Statement<{ readonly at: string | null }> = sql(FIRST_DUE);
/** Whether there are numbered events that are to be delivered and are no deliveries yet. */
export const anyFresh: Statement<{ readonly fresh: boolean }> = sql(ANY_FRESH);
