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
/**
 * Of every endpoint with open deliveries the first instant, null where all of them wait behind something: from one
 * endpoint to the next by the index, however many deliveries there are.
 */
const FIRST_OPEN =
  "select d.seller_id, d.endpoint_id, d.next_attempt_at from webhook_delivery d where d.status = 'pending'";
const IN_ORDER = 'order by d.endpoint_id, d.next_attempt_at, d.sequence limit 1';
const OPEN =
  `open as ((${FIRST_OPEN} ${IN_ORDER}) union all ` +
  `select n.* from open cross join lateral (${FIRST_OPEN} and d.endpoint_id > open.endpoint_id ${IN_ORDER}) n)`;

/**
 * What has something to do, from the side where there is little of it: most endpoints rest. Deliveries that are due
 * or wait in vain, numbered events, tests (to endpoints of any status), and leases that a worker which died has left:
 * whoever it was may have left something waiting.
 */
const NOBODYS = '(w.lease_until is null or w.lease_until < $4)';
const WANTING =
  'wanting as (select w.seller_id, w.endpoint_id from open o join webhook_endpoint w using (seller_id, endpoint_id) ' +
  "where w.status = 'active' and (o.next_attempt_at is null or o.next_attempt_at <= $2) union " +
  '(select w.seller_id, w.endpoint_id from webhook_endpoint w join event_sequence s using (seller_id) ' +
  `where ((w.status = 'active' and s.last > w.fanned_through) or w.lease_until < $4) and ${NOBODYS} limit $5::int * 4) union ` +
  "select d.seller_id, d.endpoint_id from webhook_delivery d where d.status = 'pending' and d.trigger = 'test')";

const ACQUIRE =
  `with recursive ${OPEN}, ${WANTING}, ` +
  'free as (select w.seller_id, w.endpoint_id from webhook_endpoint w where (w.seller_id, w.endpoint_id) in (table wanting) ' +
  `and w.status <> 'deleted' and ${NOBODYS} limit $5::int for no key update of w skip locked) ` +
  'update webhook_endpoint e set lease_owner = $1, lease_until = $3 from free ' +
  `where e.seller_id = free.seller_id and e.endpoint_id = free.endpoint_id returning ${endpointColumnsOf('e')}, ` +
  "exists (select from webhook_delivery d where d.endpoint_id = e.endpoint_id and d.status = 'pending') as open";

export interface AcquiredRow extends EndpointRow {
  /** Whether it has open deliveries. */
  readonly open: boolean;
}

export interface Lease {
  readonly owner: string;
  /** The service's time: what is due. */
  readonly now: number;
  /** The system's time, and when the lease ends on it. */
  readonly leaseNow: number;
  readonly leaseUntil: number;
}

/** Takes endpoints that have something to do and are nobody's. */
export function acquireEndpoints(lease: Lease, max: number): Statement<AcquiredRow> {
  const { owner, now, leaseNow, leaseUntil } = lease;
  return sql(ACQUIRE, [owner, iso(now), iso(leaseUntil), iso(leaseNow), max]);
}

/** A held endpoint as it stands, and what there is to do. */
export interface HeldRow extends EndpointRow {
  readonly fresh: boolean;
  /** Deliveries that are due, counted up to a bound. */
  readonly due: number;
  /** Whether any wait behind an earlier one of their object. */
  readonly parked: boolean;
}

const LOOK =
  `select ${endpointColumnsOf('w')}, ${FRESH} as fresh, ` +
  "(select count(*)::int from (select 1 from webhook_delivery d where d.endpoint_id = w.endpoint_id and d.status = 'pending' " +
  "and d.next_attempt_at <= $2 and (w.status = 'active' or d.trigger = 'test') limit $4) counted) as due, " +
  "exists (select from webhook_delivery d where d.endpoint_id = w.endpoint_id and d.status = 'pending' and d.next_attempt_at is null) as parked " +
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

/** One that somebody is changing at this moment is passed over, for the sake of the others; its turn comes soon. */
const RENEW =
  'update webhook_endpoint e set lease_until = $2 from (select w.seller_id, w.endpoint_id from webhook_endpoint w ' +
  'where w.lease_owner = $1 and w.endpoint_id = any($3) for no key update skip locked) mine ' +
  'where e.seller_id = mine.seller_id and e.endpoint_id = mine.endpoint_id returning e.endpoint_id';

/** @returns those that are renewed */
export function renewLeases(
  owner: string,
  leaseUntil: number,
  endpointIds: readonly string[],
): Statement<{ readonly endpoint_id: string }> {
  return sql(RENEW, [owner, iso(leaseUntil), textArray(endpointIds)]);
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
