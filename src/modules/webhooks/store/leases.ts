/**
 * Leases of endpoints. Only the process that holds the lease delivers to an endpoint (ADR 0014). Leases are on the
 * system's clock. After the lease of a dead process has ended, another process takes it.
 */
import { isoOf } from '../../../kernel/instant.ts';
import {
  bigint,
  boolean,
  instant,
  integer,
  nullable,
  type RowOf,
  text,
} from '../../../platform/db/columns.ts';
import { type Part, part, statement } from '../../../platform/db/statement.ts';
import { ENDPOINT, type EndpointKey, endpointsOf, receives, workerColumns } from './endpoints.ts';

/** SQL condition on the endpoint `w`: it has numbered events without deliveries. */
const HAS_NEW_EVENTS = part`
  exists (select from v_platform_event_sequence n where n.seller_id = w.seller_id and n.last > w.fanned_through)
  and ${receives('w')}`;

const ACQUIRED = {
  ...ENDPOINT,
  /** It has open deliveries. */
  open: boolean,
};
export type AcquiredRow = RowOf<typeof ACQUIRED>;

export interface Lease {
  readonly owner: string;
  /** The system's time now. */
  readonly leaseNow: number;
  /** The system's time at which the lease ends. */
  readonly leaseUntil: number;
}

const isFree = ({ leaseNow }: Lease): Part =>
  part`(w.lease_until is null or w.lease_until < ${isoOf(leaseNow)})`;

/** @param wanting common table expressions; the last one is called `wanting` and has keys of endpoints with work */
const acquire = (wanting: Part, lease: Lease, max: number) => statement(ACQUIRED)`
  with recursive ${wanting},
  free as (
    select w.seller_id, w.endpoint_id
      from webhook_endpoint w
     where (w.seller_id, w.endpoint_id) in (table wanting)
       and w.status <> 'deleted'
       and ${isFree(lease)}
     limit ${max}::int
       for no key update of w skip locked)
  update webhook_endpoint e
     set lease_owner = ${lease.owner}, lease_until = ${isoOf(lease.leaseUntil)}
    from free
   where e.seller_id = free.seller_id
     and e.endpoint_id = free.endpoint_id
  returning ${workerColumns('e')},
            exists (select
                      from webhook_delivery d
                     where d.endpoint_id = e.endpoint_id
                       and d.status = 'pending') as open`;

export interface Since {
  /** A round of the sequencer. */
  readonly round: bigint;
  /** Milliseconds of the service's clock. */
  readonly changedAt: number;
}

/**
 * Takes free endpoints with new events, if the events were numbered after a round, or if the status of the endpoint has
 * changed since an instant.
 */
export const acquireWithNewEvents = (lease: Lease, max: number, { round, changedAt }: Since) =>
  acquire(
    part`
  wanting as (
    select w.seller_id, w.endpoint_id
      from v_platform_event_sequence n
      join webhook_endpoint w using (seller_id)
     where n.round > ${round}::bigint
       and n.last > w.fanned_through
       and ${receives('w')}
     union
    select w.seller_id, w.endpoint_id
      from webhook_endpoint w
     where w.status_changed_at >= ${isoOf(changedAt)}
       and ${HAS_NEW_EVENTS})`,
    lease,
    max,
  );

const FIRST_OPEN = part`
  select d.seller_id, d.endpoint_id, d.next_attempt_at
    from webhook_delivery d
   where d.status = 'pending'`;
const FIRST_BY_INDEX = part`order by d.endpoint_id, d.next_attempt_at, d.sequence limit 1`;

/**
 * Takes free endpoints with deliveries that are due or parked, and with tests, which go to endpoints of any status.
 * `open` is the first instant of each endpoint, null if all its deliveries are parked. The recursion steps from one
 * endpoint to the next by the index, however many deliveries there are.
 *
 * @param now milliseconds of the service's clock
 */
export const acquireDue = (lease: Lease, max: number, now: number) =>
  acquire(
    part`
  open as (
    (${FIRST_OPEN} ${FIRST_BY_INDEX})
     union all
    select n.*
      from open
     cross join lateral (${FIRST_OPEN} and d.endpoint_id > open.endpoint_id ${FIRST_BY_INDEX}) n),
  wanting as (
    select w.seller_id, w.endpoint_id
      from open o
      join webhook_endpoint w using (seller_id, endpoint_id)
     where (o.next_attempt_at is null or o.next_attempt_at <= ${isoOf(now)})
       and ${receives('w')}
     union
    select d.seller_id, d.endpoint_id
      from webhook_delivery d
     where d.status = 'pending'
       and d.trigger = 'test')`,
    lease,
    max,
  );

/** Takes free endpoints with new events, and those whose lease has ended, because a dead process may leave orphans. */
export const acquireFromAll = (lease: Lease, max: number) =>
  acquire(
    part`
  wanting as (
    select w.seller_id, w.endpoint_id
      from webhook_endpoint w
      join v_platform_event_sequence n using (seller_id)
     where ((n.last > w.fanned_through and ${receives('w')}) or w.lease_until < ${isoOf(lease.leaseNow)})
       and ${isFree(lease)}
     limit ${max}::int * 4)`,
    lease,
    max,
  );

/** The number of the sequencer's last round. */
export const lastRound = () => statement({ round: bigint })`
  select round
    from v_platform_round`;

const HELD = {
  ...ENDPOINT,
  /** It has numbered events without deliveries. */
  fresh: boolean,
  /** The number of due deliveries, counted up to a limit. */
  due: integer,
  /** It has parked deliveries. */
  parked: boolean,
};
export type HeldRow = RowOf<typeof HELD>;

/** The endpoints that a process holds, and whether they have work. */
export const heldEndpoints = (owner: string, now: number, keys: readonly EndpointKey[], dueMax: number) =>
  statement(HELD)`
  select ${workerColumns('w')}, (${HAS_NEW_EVENTS}) as fresh,
         (select count(*)::int
            from (select
                    from webhook_delivery d
                   where d.endpoint_id = w.endpoint_id
                     and d.status = 'pending'
                     and d.next_attempt_at <= ${isoOf(now)}
                     and (d.trigger = 'test' or ${receives('w')})
                   limit ${dueMax}) counted) as due,
         exists (select
                   from webhook_delivery d
                  where d.endpoint_id = w.endpoint_id
                    and d.status = 'pending'
                    and d.next_attempt_at is null) as parked
    from ${endpointsOf(keys)}
   where w.lease_owner = ${owner}
     and w.status <> 'deleted'`;

/** Changes leases of a process. An endpoint that a seller is changing is skipped, so that the others do not wait. */
const setLeases = (change: Part, owner: string, keys: readonly EndpointKey[]) => statement({
  endpoint_id: text,
})`
  update webhook_endpoint e
     set ${change}
    from (select w.seller_id, w.endpoint_id
            from ${endpointsOf(keys)}
           where w.lease_owner = ${owner}
             for no key update of w skip locked) mine
   where e.seller_id = mine.seller_id
     and e.endpoint_id = mine.endpoint_id
  returning e.endpoint_id`;

/** @returns the endpoints whose leases are renewed */
export const renewLeases = (owner: string, leaseUntil: number, keys: readonly EndpointKey[]) =>
  setLeases(part`lease_until = ${isoOf(leaseUntil)}`, owner, keys);

/** @returns the endpoints whose leases are given back */
export const releaseLeases = (owner: string, keys: readonly EndpointKey[]) =>
  setLeases(part`lease_owner = null, lease_until = null`, owner, keys);

/** The instant of the next attempt. */
export const firstAttemptDue = () => statement({ at: nullable(instant) })`
  select min(d.next_attempt_at) as at
    from webhook_delivery d
    join webhook_endpoint w using (seller_id, endpoint_id)
   where d.status = 'pending'
     and ((d.trigger = 'test' and w.status <> 'deleted') or ${receives('w')})`;

/** Whether any endpoint has numbered events without deliveries. */
export const anyNewEvents = () => statement({ fresh: boolean })`
  select exists (select from webhook_endpoint w where ${HAS_NEW_EVENTS}) as fresh`;
