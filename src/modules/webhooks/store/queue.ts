/** Makes deliveries of numbered events, and reads deliveries for the holder. */
import { isoOf } from '../../../kernel/instant.ts';
import { bigintArray, textArray } from '../../../platform/db/arrays.ts';
import {
  bigint,
  boolean,
  instant,
  integer,
  nullable,
  type RowOf,
  text,
} from '../../../platform/db/columns.ts';
import { command, part, raw, statement } from '../../../platform/db/statement.ts';
import { completeEventsOf } from '../../../platform/outbox/complete-events.ts';
import { typePatterns } from '../../../platform/outbox/read-events.ts';
import type { EndpointKey } from './endpoints.ts';
import { notSkipped, P_COVERS_WAITING, UNNUMBERED_ENTRIES } from './skipped-events.ts';

const QUEUED = {
  delivery_id: text,
  endpoint_id: text,
  /** The number of attempts so far. */
  attempts: integer,
  /** The number of attempts that count in the schedule. */
  step: integer,
  /** Whether this is a test event, which the seller sends to try the endpoint. Its body is stored with the delivery. */
  test: boolean,
  test_event: nullable(text),
  /** Whether the event is no longer kept. */
  expired: boolean,
  /** The instant of the delivery when it was read. If the instant has changed, the seller has retried the delivery. */
  due_at: instant,
  event_id: text,
  type: text,
  sequence: bigint,
  seller_id: text,
  object_id: text,
  object_version: integer,
  created_at: instant,
  data: nullable(text),
  correlation: nullable(text),
};
/** A delivery to send, with its event. */
export type QueuedRow = RowOf<typeof QUEUED>;

/** The most events that one step reads, so that an endpoint with few types does not read all events at once. */
const SCAN_MAX = 5_000;

export interface Step extends EndpointKey {
  readonly owner: string;
  /** The version of the endpoint that the worker knows. */
  readonly version: number;
  readonly event_types: readonly string[];
  /** Events that the endpoint does not get. */
  readonly passed_over: readonly string[];
  /** Ids for new deliveries. The step makes at most one delivery for each. */
  readonly ids: readonly string[];
  /** Milliseconds of the service's clock. */
  readonly now: number;
  readonly firstAttemptAt: number;
}

const MADE = {
  ...QUEUED,
  delivery_id: nullable(text),
  /** Whether there are more events without deliveries. */
  more: boolean,
  /** The step began after the event with this number. */
  after: bigint,
  /** The events up to this number have deliveries now. */
  through: bigint,
};
/** A step without deliveries gives one row, whose `delivery_id` is null. */
export type MadeRow = Pick<RowOf<typeof MADE>, 'more' | 'after' | 'through'> &
  (QueuedRow | { readonly delivery_id: null });

/**
 * One step: makes deliveries of the next events of the wanted types, and moves `fanned_through`. After the last event
 * it removes the skipped entries that have a number now.
 *
 * It does nothing if the process has lost the lease. It also does nothing if the process knows an older version of the
 * endpoint, because events of types that the seller has added since would be missed. It skips an endpoint that a seller
 * is changing, because other endpoints would wait for the lock.
 *
 * `(… in (select …)) is true` keeps the planner from a nested loop over the 500 rows that it expects.
 */
export function makeDeliveries(step: Step) {
  const { seller_id, endpoint_id, owner, version, event_types, passed_over, ids, now, firstAttemptAt } = step;
  const mine = part`
           w.seller_id = ${seller_id}
       and w.endpoint_id = ${endpoint_id}
       and w.lease_owner = ${owner}
       and w.version = ${version}
       and w.status = 'active'`;
  const wanted = part`
           select *
             from v_platform_event x
            where x.seller_id = ${seller_id}
              and x.sequence > 0
              and x.sequence > head.mark
              and x.sequence <= head.upto
              and x.type like any(${typePatterns(event_types)})
              and ${notSkipped(passed_over)}
            order by x.sequence
            limit ${ids.length}::int`;
  return statement(MADE)`
  with head as (
    select w.fanned_through as mark, s.last, least(s.last, w.fanned_through + ${raw(String(SCAN_MAX))}) as upto
      from webhook_endpoint w
      join v_platform_event_sequence s on s.seller_id = w.seller_id
     where ${mine}
       and s.last > w.fanned_through
       for no key update of w skip locked),
  found as (
    select o.event_id, o.type, o.sequence, o.seller_id, o.object_id, o.object_version, o.created_at,
           o.data::text as data, o.correlation::text as correlation
      from head
     cross join lateral (${completeEventsOf(wanted)}) o),
  e as (
    select *, (${textArray(ids)}::text[])[row_number() over (order by sequence)] as delivery_id
      from found),
  step as (
    select head.mark, last,
           case when (select count(*) from e) < ${ids.length}::int then upto
                else (select max(sequence) from e) end as upto
      from head),
  moved as (
    update webhook_endpoint w
       set fanned_through = step.upto,
           passed_over = case when w.passed_over = '{}' or step.upto < step.last then w.passed_over
             else array(select p
                          from unnest(w.passed_over) p
                         where exists (select
                                         from (${UNNUMBERED_ENTRIES(part`${seller_id}`)}) waiting
                                        where ${P_COVERS_WAITING})) end
      from step
     where ${mine}
       and w.fanned_through = step.mark
    returning step.upto < step.last as more, step.mark as after, step.upto as through),
  made as (
    insert into webhook_delivery (seller_id, delivery_id, endpoint_id, event_id, sequence, type, object_id,
                                  status, trigger, next_attempt_at, created_at)
    select ${seller_id}, e.delivery_id, ${endpoint_id}, e.event_id, e.sequence, e.type, e.object_id,
           'pending', 'event', ${isoOf(firstAttemptAt)}, ${isoOf(now)}
      from moved
     cross join e
        on conflict (seller_id, endpoint_id, event_id) do nothing
    returning delivery_id)
  select moved.more, moved.after, moved.through, e.delivery_id, ${endpoint_id}::text as endpoint_id,
         e.event_id, e.type, e.sequence, e.seller_id, e.object_id, e.object_version, e.created_at, e.data,
         e.correlation, 0 as attempts, 0 as step, false as test, null::text as test_event, false as expired,
         ${isoOf(firstAttemptAt)}::timestamptz as due_at
    from moved
    left join e on (e.delivery_id in (select delivery_id from made)) is true
   order by e.sequence`;
}

export interface DueWanted extends EndpointKey {
  /** The ids of the deliveries that the worker already has. */
  readonly except: readonly string[];
  /** Whether to read events. Otherwise only test events are read, because the endpoint is not active. */
  readonly all: boolean;
  readonly max: number;
}

/** Deliveries that are due, in the order of their events. */
export function readDue({ seller_id, endpoint_id, except, all, max }: DueWanted, now: number) {
  const event = part`
    select *
      from v_platform_event e
     where e.seller_id = ${seller_id}
       and e.sequence = d.sequence
       and e.sequence > 0`;
  return statement(QUEUED)`
  select d.delivery_id, d.endpoint_id, d.attempts, d.step, d.trigger = 'test' as test,
         d.test_event::text as test_event, d.trigger <> 'test' and o.event_id is null as expired,
         d.next_attempt_at as due_at, d.event_id, d.type, coalesce(d.sequence, 0) as sequence, d.seller_id,
         d.object_id, coalesce(o.object_version, 0) as object_version,
         coalesce(o.created_at, d.created_at) as created_at, o.data::text as data,
         o.correlation::text as correlation
    from (select *
            from webhook_delivery p
           where p.endpoint_id = ${endpoint_id}
             and p.status = 'pending'
             and p.next_attempt_at <= ${isoOf(now)}
             and p.delivery_id <> all(${textArray(except)}::text[])
             and (${all} or p.trigger = 'test')
           order by p.sequence nulls first
           limit ${max}::int) d
    left join lateral (${completeEventsOf(event)}) o on true
   order by d.sequence nulls first`;
}

const OBJECT_EVENT = { object_id: text, sequence: bigint };

/**
 * The failed events that block their objects. If several failed events of an object are due, only the first one counts,
 * because the others are read after it.
 */
export const blockedObjects = (endpointId: string, now: number) => statement(OBJECT_EVENT)`
  select object_id, sequence
    from (select object_id, sequence, next_attempt_at, min(sequence) over (partition by object_id) as first
            from webhook_delivery
           where endpoint_id = ${endpointId}
             and status = 'pending'
             and attempts > 0
             and next_attempt_at is not null
             and sequence is not null) failed
   where sequence = first
      or next_attempt_at > ${isoOf(now)}`;

/** Those of the given events (object → number) that will not be sent any more. */
export const endedEvents = ({ seller_id, endpoint_id }: EndpointKey, events: ReadonlyMap<string, bigint>) =>
  statement(OBJECT_EVENT)`
  select h.object_id, h.sequence
    from unnest(${textArray([...events.keys()])}::text[], ${bigintArray([...events.values()])}::bigint[])
           as h (object_id, sequence)
   where not exists (
         select
           from webhook_delivery d
          where d.seller_id = ${seller_id}
            and d.endpoint_id = ${endpoint_id}
            and d.object_id = h.object_id
            and d.sequence = h.sequence
            and d.status = 'pending')`;

/**
 * Makes orphans due. An earlier event that was not tried yet, for example of a replay, does not block. The statement
 * reads the open deliveries once, because an endpoint may have many.
 */
export const freeOrphans = (endpointId: string, now: number) => command`
  with open as (
    select delivery_id, seller_id, object_id, sequence, attempts, next_attempt_at
      from webhook_delivery
     where endpoint_id = ${endpointId}
       and status = 'pending'),
  failed as (
    select object_id, min(sequence) as sequence
      from open
     where next_attempt_at is not null
       and attempts > 0
     group by object_id)
  update webhook_delivery d
     set next_attempt_at = ${isoOf(now)}
    from open
    left join failed on failed.object_id = open.object_id
   where open.next_attempt_at is null
     and (failed.sequence is null or failed.sequence > open.sequence)
     and d.seller_id = open.seller_id
     and d.delivery_id = open.delivery_id
     and d.status = 'pending'`;

/** Makes all parked deliveries due, for an endpoint without an order. */
export const freeAll = (endpointId: string, now: number) => command`
  update webhook_delivery
     set next_attempt_at = ${isoOf(now)}
   where endpoint_id = ${endpointId}
     and status = 'pending'
     and next_attempt_at is null`;

/** Counts the open deliveries of an endpoint, up to `max`. */
export const countPending = (endpointId: string, max: number) => statement({ pending: integer })`
  select count(*)::int as pending
    from (select
            from webhook_delivery
           where endpoint_id = ${endpointId}
             and status = 'pending'
           limit ${max}) counted`;
