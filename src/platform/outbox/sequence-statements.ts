/** Statements of the sequencer, all in the system's scope. */
import type { Statement } from '../../kernel/context.ts';
import { bigintArray, intArray, textArray } from '../db/arrays.ts';
import { BY_INDEX } from '../db/by-index.ts';
import { bigint, boolean, instant, integer, json, nullable, type RowOf, text } from '../db/columns.ts';
import { type Part, param, part, raw, statement } from '../db/statement.ts';

/** A committed event that has no number yet. */
const UNNUMBERED = {
  seller_id: text,
  outbox_id: bigint,
  /** The event is part of the bulk row `outbox_id`, and gets a row of its own when it is numbered. */
  bulk: boolean,
  event_id: text,
  type: text,
  object_id: text,
  object_version: integer,
  /** JSON; only for events of a bulk row. */
  correlation: nullable(text),
  created_at: instant,
  /** The event was written without its object. */
  bare: boolean,
  /** The object, for events that become notifications; null for others. */
  object: nullable(json<Readonly<Record<string, unknown>>>()),
  /** Its place within the bulk row. */
  place: bigint,
  /** An earlier bulk row may hold events about the same object. */
  behind: boolean,
};
export type Unnumbered = RowOf<typeof UNNUMBERED>;

/** An event with the numbers that it gets. */
export interface Numbered {
  readonly event: Unnumbered;
  readonly toSeller: boolean;
  readonly toMarketplace: boolean;
}

/** The sequencer's lock, held until the transaction ends. A process that does not get it skips the round. */
export const HOLD = statement({ held: boolean })`
  select held
    from (select pg_try_advisory_xact_lock(hashtextextended('outbox-sequencer', 0)) as held,
                 ${raw(BY_INDEX)}) taken (held)`;

/** Whether any event has no number yet. */
export const ANY_UNNUMBERED = statement({ waiting: boolean })`
  select exists (select 1 from outbox where sequence is null) or exists (select 1 from outbox_bulk) as waiting`;

const ELEMENTS = part`
  unnest(k.event_ids, k.types, k.object_ids, k.object_versions)
    with ordinality as e (event_id, type, object_id, object_version, place)`;
const FROM_BULK = part`
  k.seller_id, k.outbox_id, true as bulk, e.event_id, e.type, e.object_id, e.object_version,
  k.correlation::text, k.created_at, true as bare, null::json as object, e.place, false as behind`;

/** Where the round before ended: a round begins with the sellers that follow. */
export interface Turn {
  /** The last seller whose single events, or bulk row, the round before took. */
  readonly singles: string;
  readonly bulk: string;
}

/** How much a round takes. */
export interface RoundBounds {
  readonly sellers: number;
  /** Most single events of one seller. */
  readonly singlesEach: number;
  /** Most sellers with a bulk row. */
  readonly bulkSellers: number;
}

/**
 * In one snapshot: some single events of several sellers, and the next bulk row of a few sellers. So a seller never
 * waits for another seller's hundred thousand events. A seller's bulk row is taken only together with all its single
 * events.
 *
 * @param withObject types whose objects are returned too
 */
export function waiting(
  turn: Turn,
  bounds: RoundBounds,
  withObject: readonly string[],
): Statement<Unnumbered> {
  const singlesEach = param(bounds.singlesEach);
  return statement(UNNUMBERED)`
    with recursive busy as (
         (select seller_id from outbox
           where sequence is null and seller_id > ${turn.singles}
           order by seller_id
           limit 1)
         union all
         select (select o.seller_id from outbox o
                  where o.sequence is null and o.seller_id > busy.seller_id
                  order by o.seller_id
                  limit 1)
           from busy
          where busy.seller_id is not null),
    bulky as (
         select distinct seller_id from outbox_bulk
          where seller_id > ${turn.bulk}
          order by seller_id
          limit ${bounds.bulkSellers}::int),
    sellers as (
         (select seller_id from busy where seller_id is not null limit ${bounds.sellers}::int)
         union
         select seller_id from bulky),
    singles as materialized (
         select o.*
           from sellers b
          cross join lateral (
                select o.seller_id, o.outbox_id, false as bulk, o.event_id, o.type, o.object_id,
                       o.object_version, null::text as correlation, o.created_at, o.data is null as bare,
                       case when o.type = any(${textArray(withObject)}::text[]) then o.data -> 'object' end
                         as object,
                       0::bigint as place,
                       exists (select from outbox_bulk k
                                where k.seller_id = o.seller_id and k.outbox_id < o.outbox_id
                                  and starts_with(o.object_id, k.kind)) as behind
                  from outbox o
                 where o.seller_id = b.seller_id and o.sequence is null
                 order by o.outbox_id
                 limit ${singlesEach}::int) o),
    next_bulk as (
         select k.*
           from bulky b
          cross join lateral (
                select * from outbox_bulk n
                 where n.seller_id = b.seller_id
                 order by n.outbox_id
                 limit 1) k
          where (select count(*) from singles o where o.seller_id = k.seller_id) < ${singlesEach})
    select * from singles
     union all
    select ${FROM_BULK} from next_bulk k cross join ${ELEMENTS}`;
}

/**
 * Events of earlier bulk rows about the same objects as some single events. They are numbered before the single events,
 * out of turn, so that a single event does not wait for the whole bulk.
 */
export function bulkBefore(events: readonly Unnumbered[]): Statement<Unnumbered> {
  const upto = new Map<string, bigint>();
  for (const { seller_id, outbox_id } of events)
    if (outbox_id > (upto.get(seller_id) ?? 0n)) upto.set(seller_id, outbox_id);
  const sellers = param(textArray(events.map(({ seller_id }) => seller_id)));
  const objects = param(textArray(events.map(({ object_id }) => object_id)));
  // "is true" keeps the planner from turning this into a join: it hashes the list once.
  const aboutThese = (object: string): Part =>
    part`((k.seller_id, ${raw(object)}) in (select * from unnest(${sellers}::text[], ${objects}::text[]))) is true`;
  return statement(UNNUMBERED)`
    select ${FROM_BULK}
      from unnest(${textArray([...upto.keys()])}::text[], ${bigintArray([...upto.values()])}::bigint[])
        as b (seller_id, upto)
      join outbox_bulk k on k.seller_id = b.seller_id and k.outbox_id < b.upto
     cross join ${ELEMENTS}
     where exists (select from unnest(k.object_ids) as x (object_id) where ${aboutThese('x.object_id')})
       and ${aboutThese('e.object_id')}`;
}

/**
 * Locks the number rows of sellers and skips those that another transaction (an erasure) has locked.
 *
 * @returns the skipped sellers; their events wait for the next round
 */
export const lockFreeNumbers = (sellerIds: readonly string[]): Statement<{ readonly seller_id: string }> => {
  const sellers = param(textArray(sellerIds));
  return statement({ seller_id: text })`
    with locked as materialized (
         select seller_id
           from event_sequence
          where seller_id = any(${sellers}::text[])
          order by seller_id
            for no key update skip locked)
    select e.seller_id
      from event_sequence e
     where e.seller_id = any(${sellers}::text[])
       and not exists (select from locked l where l.seller_id = e.seller_id)`;
};

/** Numbers the events in the order of the list. */
export function numberEvents(
  rows: readonly Numbered[],
): Statement<{ readonly event_id: string; readonly sequence: bigint }> {
  const of = <T>(value: (event: Unnumbered) => T): T[] => rows.map(({ event }) => value(event));
  return statement({ event_id: text, sequence: bigint })`
    with given as (
         select *
           from unnest(${textArray(of((event) => event.seller_id))}::text[],
                       ${bigintArray(of((event) => event.outbox_id))}::bigint[],
                       ${of((event) => event.bulk)}::boolean[],
                       ${textArray(of((event) => event.event_id))}::text[],
                       ${textArray(of((event) => event.type))}::text[],
                       ${textArray(of((event) => event.object_id))}::text[],
                       ${intArray(of((event) => event.object_version))}::int[],
                       ${textArray(of((event) => event.correlation))}::text[],
                       ${of((event) => event.created_at)}::timestamptz[],
                       ${rows.map(({ toSeller }) => toSeller)}::boolean[],
                       ${rows.map(({ toMarketplace }) => toMarketplace)}::boolean[])
                with ordinality
             as g (seller_id, outbox_id, bulk, event_id, type, object_id, object_version, correlation,
                   created_at, for_seller, for_marketplace, place)),
    ranked as (
         select *,
                sum(for_seller::int) over (partition by seller_id order by place) as seller_rank,
                sum(for_marketplace::int) over (order by place) as marketplace_rank
           from given),
    counts as (select seller_id, sum(for_seller::int) as for_seller from given group by seller_id),
    head as (
         update outbox_head
            set last = last + (select count(*) filter (where for_marketplace) from given), round = round + 1
         returning last, round),
    numbers as (
         insert into event_sequence as s (seller_id, last, round)
         select seller_id, for_seller, round from counts, head
             on conflict (seller_id) do update
            set last = s.last + excluded.last, round = excluded.round
         returning s.seller_id, s.last),
    totals as (select count(*) filter (where for_marketplace) as for_marketplace from given),
    numbered as (
         select r.*,
                case when r.for_seller then h.last - c.for_seller + r.seller_rank else 0 end as sequence,
                case when r.for_marketplace then head.last - totals.for_marketplace + r.marketplace_rank
                 end as position
           from ranked r
           join numbers h using (seller_id)
           join counts c using (seller_id), head, totals),
    single as (
         update outbox o
            set sequence = n.sequence, position = n.position
           from numbered n
          where not n.bulk and o.seller_id = n.seller_id and o.outbox_id = n.outbox_id),
    bulk as (
         insert into outbox (seller_id, event_id, type, object_id, object_version, correlation, created_at,
                             sequence, position)
         select seller_id, event_id, type, object_id, object_version, correlation::json, created_at,
                sequence, position
           from numbered
          where bulk
          order by place),
    taken as (
         select seller_id, outbox_id, count(*) as count, array_agg(event_id) as event_ids
           from given
          where bulk
          group by seller_id, outbox_id),
    emptied as (
         delete from outbox_bulk k
          using taken t
          where k.seller_id = t.seller_id and k.outbox_id = t.outbox_id
            and cardinality(k.event_ids) = t.count),
    thinned as (
         update outbox_bulk k
            set (event_ids, types, object_ids, object_versions) = (
                select array_agg(e.event_id order by e.place), array_agg(e.type order by e.place),
                       array_agg(e.object_id order by e.place), array_agg(e.object_version order by e.place)
                  from ${ELEMENTS}
                 where e.event_id <> all(t.event_ids))
           from taken t
          where k.seller_id = t.seller_id and k.outbox_id = t.outbox_id
            and cardinality(k.event_ids) > t.count)
    select event_id, sequence::bigint as sequence from numbered`;
}
