/**
 * Which worker delivers to which endpoint. One at a time: so an endpoint's order and concurrency need no word
 * between workers. Leases are on the system's clock; a worker that dies is replaced when they end.
 */
import type { Statement } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import { calledOf, type EndpointKey, type EndpointRow, workerColumnsOf } from './endpoint-row.ts';

const iso = (ms: number): string => new Date(ms).toISOString();
const keysOf = (endpoints: readonly EndpointKey[]): unknown[] => [
  textArray(endpoints.map(({ seller_id }) => seller_id)),
  textArray(endpoints.map(({ endpoint_id }) => endpoint_id)),
];

const CALLED = calledOf('w');
/** Numbered events that are no deliveries yet. */
const FRESH =
  'exists (select from v_platform_event_sequence n where n.seller_id = w.seller_id and n.last > w.fanned_through) and ' +
  CALLED;
/** $1 owner, $2 end of the lease, $3 the system's time, $4 most endpoints; what follows is each statement's own. */
const NOBODYS = '(w.lease_until is null or w.lease_until < $3)';

/** The endpoints of sellers that have been given numbers since a round, and those whose status has changed since. */
const NEWS =
  'wanting as (select w.seller_id, w.endpoint_id from v_platform_event_sequence n join webhook_endpoint w using (seller_id) ' +
  `where n.round > $6::bigint and n.last > w.fanned_through and ${CALLED} union ` +
  `select w.seller_id, w.endpoint_id from webhook_endpoint w where w.status_changed_at >= $5 and ${FRESH})`;

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

/** Deliveries that are due or wait in vain, and tests (to endpoints of any status). */
const DUE =
  `${OPEN}, wanting as (select w.seller_id, w.endpoint_id from open o join webhook_endpoint w using (seller_id, endpoint_id) ` +
  `where (o.next_attempt_at is null or o.next_attempt_at <= $5) and ${CALLED} union ` +
  "select d.seller_id, d.endpoint_id from webhook_delivery d where d.status = 'pending' and d.trigger = 'test')";

/**
 * What the other two pass by: numbered events of whenever, and leases that a worker which died has left, since it may
 * have left something waiting. All endpoints are looked at.
 */
const REST =
  'wanting as (select w.seller_id, w.endpoint_id from webhook_endpoint w join v_platform_event_sequence n using (seller_id) ' +
  `where ((n.last > w.fanned_through and ${CALLED}) or w.lease_until < $3) and ${NOBODYS} limit $4::int * 4)`;

const acquire = (wanting: string): string =>
  `with recursive ${wanting}, ` +
  'free as (select w.seller_id, w.endpoint_id from webhook_endpoint w where (w.seller_id, w.endpoint_id) in (table wanting) ' +
  `and w.status <> 'deleted' and ${NOBODYS} limit $4::int for no key update of w skip locked) ` +
  'update webhook_endpoint e set lease_owner = $1, lease_until = $2 from free ' +
  `where e.seller_id = free.seller_id and e.endpoint_id = free.endpoint_id returning ${workerColumnsOf('e')}, ` +
  "exists (select from webhook_delivery d where d.endpoint_id = e.endpoint_id and d.status = 'pending') as open";

export interface AcquiredRow extends EndpointRow {
  /** Whether it has open deliveries. */
  readonly open: boolean;
}

export interface Lease {
  readonly owner: string;
  /** The system's time, and when the lease ends on it. */
  readonly leaseNow: number;
  readonly leaseUntil: number;
}

const valuesOf = ({ owner, leaseNow, leaseUntil }: Lease, max: number): unknown[] => [
  owner,
  iso(leaseUntil),
  iso(leaseNow),
  max,
];

/**
 * Takes endpoints that are nobody's and have something due.
 *
 * @param max most endpoints
 * @param now the service's time
 */
export const acquireDue = (lease: Lease, max: number, now: number): Statement<AcquiredRow> =>
  sql(acquire(DUE), [...valuesOf(lease, max), iso(now)]);

/** The same of endpoints for which there may be something new since a round, or since an instant of the service. */
export const acquireNews = (
  lease: Lease,
  max: number,
  since: { readonly round: bigint; readonly changedAt: number },
): Statement<AcquiredRow> => sql(acquire(NEWS), [...valuesOf(lease, max), iso(since.changedAt), since.round]);

/** The same of all endpoints, whatever these two pass by. */
export const acquireRest = (lease: Lease, max: number): Statement<AcquiredRow> =>
  sql(acquire(REST), valuesOf(lease, max));

/** The sequencer's last round. */
export const lastRound: Statement<{ readonly round: bigint }> = sql('select round from v_platform_round');

/** A held endpoint as it stands, and what there is to do. */
export interface HeldRow extends EndpointRow {
  readonly fresh: boolean;
  /** Deliveries that are due, counted up to a bound. */
  readonly due: number;
  /** Whether any wait behind an earlier one of their object. */
  readonly parked: boolean;
}

const LOOK =
  `select ${workerColumnsOf('w')}, (${FRESH}) as fresh, ` +
  "(select count(*)::int from (select 1 from webhook_delivery d where d.endpoint_id = w.endpoint_id and d.status = 'pending' " +
  `and d.next_attempt_at <= $2 and (d.trigger = 'test' or ${CALLED}) limit $5) counted) as due, ` +
  "exists (select from webhook_delivery d where d.endpoint_id = w.endpoint_id and d.status = 'pending' and d.next_attempt_at is null) as parked " +
  "from unnest($3::text[], $4::text[]) as k (seller_id, endpoint_id) join webhook_endpoint w using (seller_id, endpoint_id) where w.lease_owner = $1 and w.status <> 'deleted'";

/** The endpoints among those that the worker believes to hold that it does hold. */
export function lookAtHeld(
  owner: string,
  now: number,
  held: readonly EndpointKey[],
  dueMax: number,
): Statement<HeldRow> {
  return sql(LOOK, [owner, iso(now), ...keysOf(held), dueMax]);
}

/** One that somebody is changing at this moment is passed over, for the sake of the others; its turn comes soon. */
const change = (what: string): string =>
  `update webhook_endpoint e set ${what} from (select w.seller_id, w.endpoint_id from ` +
  'unnest($2::text[], $3::text[]) as k (seller_id, endpoint_id) join webhook_endpoint w using (seller_id, endpoint_id) ' +
  'where w.lease_owner = $1 for no key update of w skip locked) mine ' +
  'where e.seller_id = mine.seller_id and e.endpoint_id = mine.endpoint_id returning e.endpoint_id';
const RENEW = change('lease_until = $4');
const RELEASE = change('lease_owner = null, lease_until = null');

/** @returns those that are renewed */
export function renewLeases(
  owner: string,
  leaseUntil: number,
  held: readonly EndpointKey[],
): Statement<{ readonly endpoint_id: string }> {
  return sql(RENEW, [owner, ...keysOf(held), iso(leaseUntil)]);
}

/** @returns those that are given back */
export function releaseLeases(
  owner: string,
  held: readonly EndpointKey[],
): Statement<{ readonly endpoint_id: string }> {
  return sql(RELEASE, [owner, ...keysOf(held)]);
}

const FIRST_DUE =
  'select min(d.next_attempt_at) as at from webhook_delivery d join webhook_endpoint w using (seller_id, endpoint_id) ' +
  `where d.status = 'pending' and ((d.trigger = 'test' and w.status <> 'deleted') or ${CALLED})`;
const ANY_FRESH = `select exists (select from webhook_endpoint w where ${FRESH}) as fresh`;

/** The instant of the first attempt that is to be made. */
export const firstAttemptDue: Statement<{ readonly at: string | null }> = sql(FIRST_DUE);
/** Whether there are numbered events that are to be delivered and are no deliveries yet. */
export const anyFresh: Statement<{ readonly fresh: boolean }> = sql(ANY_FRESH);
