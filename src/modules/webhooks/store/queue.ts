/** From numbered events to deliveries, and from there into the memory of the worker that holds the endpoint. */
import type { Statement } from '../../../kernel/context.ts';
import { bigintArray, textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import { completeEvents } from '../../../platform/outbox/complete-events.ts';
import { typePatterns } from '../../../platform/outbox/read-events.ts';
import type { EventText } from '../domain/event-body.ts';
import { COVERS, type PassedOver, UNNUMBERED_ENTRIES } from './passed-over.ts';

const iso = (ms: number): string => new Date(ms).toISOString();

/** A delivery that is to be sent, with its event. */
export interface QueuedRow extends EventText {
  readonly delivery_id: string;
  readonly endpoint_id: string;
  /** Attempts so far, and how many of them count in the schedule. */
  readonly attempts: number;
  readonly step: number;
  /** Sent to try the endpoint: it is no event of the seller's, and its body is stored with it. */
  readonly test: boolean;
  readonly test_event: string | null;
  /** Whether the event is no longer kept. */
  readonly expired: boolean;
  /** The instant for which it was read: another one later means that its seller has asked for it anew. */
  readonly due_at: string;
}

/** Most numbers that one step looks through: an endpoint that asks for few types must not read all events at once. */
const SCAN_MAX = 5_000;

const EVENT =
  'e.event_id, e.type, e.sequence, e.seller_id, e.object_id, e.object_version, e.created_at, e.data, e.correlation';

/** `head` says from where to where. */
const BEHIND_MARK =
  'select * from v_platform_event x where x.seller_id = $1 and x.sequence > 0 ' +
  'and x.sequence > head.mark and x.sequence <= head.upto and x.type like any($4) and x.event_id <> all($9::text[]) and not exists (' +
  'select from unnest($10::text[], $11::text[]) as r (first, last) where x.event_id collate "C" between r.first and r.last) order by x.sequence limit $5::int';

/**
 * One statement: the events behind the mark whose types are asked for become deliveries, and the mark moves. Once the
 * last number is reached, only what still has none is left of what is passed over. It does nothing for a worker that
 * has lost the endpoint, also at that very instant, or that knows it as it was before a change of its seller's: what
 * has been asked for since would be left out for good. Nor does it for an endpoint that somebody is changing: few steps
 * run at the same time, and those of other endpoints do not wait for that. What was made is hashed once: a condition
 * that the planner cannot make a join of, whose 500 rows it would take for one.
 */
const FAN_OUT =
  `with head as (select w.fanned_through as mark, s.last, least(s.last, w.fanned_through + ${SCAN_MAX}) as upto ` +
  'from webhook_endpoint w join v_platform_event_sequence s on s.seller_id = w.seller_id ' +
  "where w.seller_id = $1 and w.endpoint_id = $2 and w.lease_owner = $3 and w.version = $12 and w.status = 'active' and s.last > w.fanned_through " +
  'for no key update of w skip locked), ' +
  'found as (select o.event_id, o.type, o.sequence, o.seller_id, o.object_id, o.object_version, o.created_at, o.data::text as data, ' +
  `o.correlation::text as correlation from head cross join lateral (${completeEvents(BEHIND_MARK)}) o), ` +
  'e as (select *, ($6::text[])[row_number() over (order by sequence)] as delivery_id from found), ' +
  'step as (select head.mark, last, case when (select count(*) from e) < $5::int then upto else (select max(sequence) from e) end as upto from head), ' +
  'moved as (update webhook_endpoint w set fanned_through = step.upto, passed_over = ' +
  "case when w.passed_over = '{}' or step.upto < step.last then w.passed_over else array(select p from unnest(w.passed_over) p " +
  `where exists (select from (${UNNUMBERED_ENTRIES}) waiting where ${COVERS('p', 'waiting.entry')})) end ` +
  "from step where w.seller_id = $1 and w.endpoint_id = $2 and w.lease_owner = $3 and w.version = $12 and w.status = 'active' and w.fanned_through = step.mark " +
  'returning step.upto < step.last as more, step.mark as after, step.upto as through), ' +
  'made as (insert into webhook_delivery (seller_id, delivery_id, endpoint_id, event_id, sequence, type, object_id, status, trigger, next_attempt_at, created_at) ' +
  "select $1, e.delivery_id, $2, e.event_id, e.sequence, e.type, e.object_id, 'pending', 'event', $7, $8 from moved cross join e " +
  'on conflict (seller_id, endpoint_id, event_id) do nothing returning delivery_id) ' +
  `select moved.more, moved.after, moved.through, e.delivery_id, $2::text as endpoint_id, ${EVENT}, 0 as attempts, 0 as step, false as test, ` +
  'null::text as test_event, false as expired, $7::timestamptz as due_at from moved left join e on (e.delivery_id in (select delivery_id from made)) is true order by e.sequence';

export interface FanOut {
  readonly sellerId: string;
  readonly endpointId: string;
  readonly owner: string;
  /** Of the endpoint, as the worker knows it. */
  readonly version: number;
  readonly types: readonly string[];
  /** Events that are passed over. */
  readonly except: PassedOver;
  /** Identifiers of the new deliveries; as many as there may be. */
  readonly ids: readonly string[];
  /** The service's time, and the instant of the first attempt. */
  readonly now: number;
  readonly firstAttemptAt: number;
}

/** Rows without a delivery only say whether there is more, and from where to where the step went. */
export type FanOutRow = { readonly more: boolean; readonly after: bigint; readonly through: bigint } & (
  | QueuedRow
  | { readonly delivery_id: null }
);

export function fanOut(step: FanOut): Statement<FanOutRow> {
  const { sellerId, endpointId, owner, version, types, except, ids, now, firstAttemptAt } = step;
  return sql(FAN_OUT, [
    sellerId,
    endpointId,
    owner,
    typePatterns(types),
    ids.length,
    textArray(ids),
    iso(firstAttemptAt),
    iso(now),
    textArray(except.ids),
    textArray(except.first),
    textArray(except.last),
    version,
  ]);
}

const LOAD =
  "select d.delivery_id, d.endpoint_id, d.attempts, d.step, d.trigger = 'test' as test, d.test_event::text as test_event, " +
  "d.trigger <> 'test' and o.event_id is null as expired, d.next_attempt_at as due_at, d.event_id, d.type, coalesce(d.sequence, 0) as sequence, d.seller_id, d.object_id, " +
  'coalesce(o.object_version, 0) as object_version, coalesce(o.created_at, d.created_at) as created_at, ' +
  'o.data::text as data, o.correlation::text as correlation from (select * from webhook_delivery p ' +
  "where p.endpoint_id = $2 and p.status = 'pending' and p.next_attempt_at <= $3 and p.delivery_id <> all($4) and ($5 or p.trigger = 'test') " +
  'order by p.sequence nulls first limit $6::int) d left join lateral (' +
  `${completeEvents('select * from v_platform_event e where e.seller_id = $1 and e.sequence = d.sequence and e.sequence > 0')}) o on true ` +
  'order by d.sequence nulls first';

export interface LoadDue {
  readonly sellerId: string;
  readonly endpointId: string;
  readonly now: number;
  /** Deliveries that are in the worker's hands already. */
  readonly except: readonly string[];
  /** Test events only, for an endpoint that is not active, when false. */
  readonly all: boolean;
  readonly max: number;
}

/** Deliveries that are due, in the order of their events. */
export function loadDue({ sellerId, endpointId, now, except, all, max }: LoadDue): Statement<QueuedRow> {
  return sql(LOAD, [sellerId, endpointId, iso(now), textArray(except), all, max]);
}

const FAILED =
  'select object_id, sequence, next_attempt_at, min(sequence) over (partition by object_id) as first from webhook_delivery ' +
  "where endpoint_id = $1 and status = 'pending' and attempts > 0 and next_attempt_at is not null and sequence is not null";
const HELD = `select object_id, sequence from (${FAILED}) f where sequence = first or next_attempt_at > $2`;

/**
 * Objects with events that have failed before, by the numbers of those events: later ones wait behind them. Of those
 * that are due again only the first counts, since they are read in their order.
 */
export function heldObjects(
  endpointId: string,
  now: number,
): Statement<{ readonly object_id: string; readonly sequence: bigint }> {
  return sql(HELD, [endpointId, iso(now)]);
}

const OVER =
  'select h.object_id, h.sequence from unnest($3::text[], $4::bigint[]) as h (object_id, sequence) where not exists (' +
  'select from webhook_delivery d where d.seller_id = $1 and d.endpoint_id = $2 and d.object_id = h.object_id ' +
  "and d.sequence = h.sequence and d.status = 'pending')";

/** The objects among those given, each with the number of an event, whose event is not to be delivered any more. */
export function overObjects(
  sellerId: string,
  endpointId: string,
  objects: ReadonlyMap<string, bigint>,
): Statement<{ readonly object_id: string; readonly sequence: bigint }> {
  return sql(OVER, [
    sellerId,
    endpointId,
    textArray([...objects.keys()]),
    bigintArray([...objects.values()]),
  ]);
}

/**
 * What waits is for an event that has failed, as `heldObjects` has it; an earlier event that was never tried, of a replay
 * for example, blocks nothing. Both sides are read once: an endpoint may have many that wait.
 */
const UNPARK_ORPHANS =
  "with open as (select delivery_id, seller_id, object_id, sequence, attempts, next_attempt_at from webhook_delivery where endpoint_id = $1 and status = 'pending'), " +
  'heads as (select object_id, min(sequence) as sequence from open where next_attempt_at is not null and attempts > 0 group by object_id) ' +
  'update webhook_delivery d set next_attempt_at = $2 from open left join heads on heads.object_id = open.object_id ' +
  'where open.next_attempt_at is null and (heads.sequence is null or heads.sequence > open.sequence) ' +
  "and d.seller_id = open.seller_id and d.delivery_id = open.delivery_id and d.status = 'pending'";

/** What a worker that died has left waiting behind something that is done by now. */
export function unparkOrphans(endpointId: string, now: number): Statement<unknown> {
  return sql(UNPARK_ORPHANS, [endpointId, iso(now)]);
}

/** Without an order nothing waits for anything. */
export function unparkAll(endpointId: string, now: number): Statement<unknown> {
  return sql(
    "update webhook_delivery set next_attempt_at = $2 where endpoint_id = $1 and status = 'pending' and next_attempt_at is null",
    [endpointId, iso(now)],
  );
}

/** How many deliveries of an endpoint are open, counted up to a bound. */
export function countPending(endpointId: string, max: number): Statement<{ readonly pending: number }> {
  return sql(
    "select count(*)::int as pending from (select 1 from webhook_delivery where endpoint_id = $1 and status = 'pending' limit $2) counted",
    [endpointId, max],
  );
}
