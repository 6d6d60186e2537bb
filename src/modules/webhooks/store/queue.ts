/** From numbered events to deliveries, and from there into the memory of the holder. */
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

const iso = (ms: number): string => new Date(ms).toISOString();

const QUEUED = {
  delivery_id: text,
  endpoint_id: text,
  /** Attempts so far, and how many of them count in the schedule. */
  attempts: integer,
  step: integer,
  /** Sent to try the endpoint: it is no event of the seller's, and its body is stored with it. */
  test: boolean,
  test_event: nullable(text),
  /** The event is no longer kept. */
  expired: boolean,
  /** The instant for which it was read; a later one means that the seller has asked for it again. */
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

/** Most numbers that one step reads: an endpoint that asks for few types must not read all events at once. */
const SCAN_MAX = 5_000;

export interface Step extends EndpointKey {
  readonly owner: string;
  /** Of the endpoint, as the worker knows it. */
  readonly version: number;
  readonly event_types: readonly string[];
  /** Events that the endpoint does not get. */
  readonly passed_over: readonly string[];
  /** Identifiers of the new deliveries; as many as there may be. */
  readonly ids: readonly string[];
  /** Milliseconds of the service's clock. */
  readonly now: number;
  readonly firstAttemptAt: number;
}

const MADE = {
  ...QUEUED,
  delivery_id: nullable(text),
  /** There are more such events. */
  more: boolean,
  /** The step began after this number, and events up to that one have deliveries now. */
  after: bigint,
  through: bigint,
};
/** A row without a delivery says only how far the step went. */
export type MadeRow = Pick<RowOf<typeof MADE>, 'more' | 'after' | 'through'> &
  (QueuedRow | { readonly delivery_id: null });

/**
 * One step: the next events of the wanted types become deliveries, and `fanned_through` moves. At the last number it
 * forgets skipped entries that have a number by now. It does nothing for a process that has lost the endpoint, or that
 * knows an older version of it: event types that the seller has added since would be left out for good. It does nothing
 * for an endpoint that is being changed either, because other endpoints would wait for its turn.
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
           'pending', 'event', ${iso(firstAttemptAt)}, ${iso(now)}
      from moved
     cross join e
        on conflict (seller_id, endpoint_id, event_id) do nothing
    returning delivery_id)
  select moved.more, moved.after, moved.through, e.delivery_id, ${endpoint_id}::text as endpoint_id,
         e.event_id, e.type, e.sequence, e.seller_id, e.object_id, e.object_version, e.created_at, e.data,
         e.correlation, 0 as attempts, 0 as step, false as test, null::text as test_event, false as expired,
         ${iso(firstAttemptAt)}::timestamptz as due_at
    from moved
    left join e on (e.delivery_id in (select delivery_id from made)) is true
   order by e.sequence`;
}

export interface DueWanted extends EndpointKey {
  /** Deliveries that are in hand already. */
  readonly except: readonly string[];
  /** False: only test events, for an endpoint that is not active. */
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
             and p.next_attempt_at <= ${iso(now)}
             and p.delivery_id <> all(${textArray(except)}::text[])
             and (${all} or p.trigger = 'test')
           order by p.sequence nulls first
           limit ${max}::int) d
    left join lateral (${completeEventsOf(event)}) o on true
   order by d.sequence nulls first`;
}

const OBJECT_EVENT = { object_id: text, sequence: bigint };

/**
 * Failed events that block their objects. Of several that are due again, only the first one counts: the others are read in
 * their order.
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
      or next_attempt_at > ${iso(now)}`;

/** Those of some events, each the number of an event by its object, that are not to be delivered any more. */
export const eventsOver = ({ seller_id, endpoint_id }: EndpointKey, events: ReadonlyMap<string, bigint>) =>
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
 * Makes parked deliveries due that wait behind no failed event. An earlier event that was never tried, of a replay for
 * example, blocks nothing. The statement reads both sides once, because an endpoint may have many parked deliveries.
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
     set next_attempt_at = ${iso(now)}
    from open
    left join failed on failed.object_id = open.object_id
   where open.next_attempt_at is null
     and (failed.sequence is null or failed.sequence > open.sequence)
     and d.seller_id = open.seller_id
     and d.delivery_id = open.delivery_id
     and d.status = 'pending'`;

/** Without an order no delivery waits for another one. */
export const freeAll = (endpointId: string, now: number) => command`
  update webhook_delivery
     set next_attempt_at = ${iso(now)}
   where endpoint_id = ${endpointId}
     and status = 'pending'
     and next_attempt_at is null`;

/** Open deliveries of an endpoint, counted up to a bound. */
export const countPending = (endpointId: string, max: number) => statement({ pending: integer })`
  select count(*)::int as pending
    from (select
            from webhook_delivery
           where endpoint_id = ${endpointId}
             and status = 'pending'
           limit ${max}) counted`;
