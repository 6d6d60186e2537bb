/** Statements on the objects of events. They run in both scopes, so each names its sellers. */
import type { Statement } from '../../kernel/context.ts';
import { bigintArray, intArray, jsonArray, textArray } from '../db/arrays.ts';
import { BY_INDEX } from '../db/by-index.ts';
import { bigint, boolean, integer, type RowOf, text } from '../db/columns.ts';
import { type Part, param, part, raw, statement } from '../db/statement.ts';
import { completeEventsOf } from './complete-events.ts';

const KEY = { seller_id: text, sequence: bigint };
export type EventKey = RowOf<typeof KEY>;

/** An event that was written without its object. */
export interface LateEvent extends EventKey {
  readonly type: string;
  readonly object_id: string;
  /** Version of the object when the event was written. */
  readonly object_version: number;
}

const CONTENT = { data: text, object_version: integer };
/** The content of an event: JSON of its data, and the version of its object. */
export type EventContent = RowOf<typeof CONTENT>;

const locksOf = (events: readonly EventKey[]): Part => {
  const sellers = textArray([...new Set(events.map(({ seller_id }) => seller_id))]);
  return part`(
      select distinct hashtextextended('outbox-objects:' || s, 0) as lock
        from unnest(${sellers}::text[]) s
       order by lock) l`;
};

/** Locks the stored objects of the sellers until the end of the transaction, in one order, so there is no deadlock. */
export const lockSellers = (events: readonly EventKey[]): Statement<{ readonly locked: boolean }> =>
  statement({ locked: boolean })`
  select locked
    from (select bool_and(pg_advisory_xact_lock(lock)::text is not null), ${raw(BY_INDEX)}
            from ${locksOf(events)}) taken (locked)`;

/** The same without waiting: false when another transaction holds a lock; some sellers may be locked then. */
export const tryLockSellers = (events: readonly EventKey[]): Statement<{ readonly locked: boolean }> =>
  statement({ locked: boolean })`
  select locked
    from (select bool_and(pg_try_advisory_xact_lock(lock)) as locked, ${raw(BY_INDEX)}
            from ${locksOf(events)}) tried (locked)`;

/**
 * The content of the next event about each object that has data, numbered or not. Events without one are left out.
 *
 * @param types whose events show the same kind of object, with one count of versions
 */
export const nextOf = (
  events: readonly LateEvent[],
  types: readonly string[],
): Statement<EventContent & { readonly place: number }> => {
  const shown = param(textArray(types));
  return statement({ ...CONTENT, place: integer })`
    select g.place::int - 1 as place, n.object_version,
           '{"object":' || coalesce((n.data -> 'object')::text, 'null') || '}' as data
      from unnest(${textArray(events.map(({ seller_id }) => seller_id))}::text[],
                  ${textArray(events.map(({ object_id }) => object_id))}::text[],
                  ${bigintArray(events.map(({ sequence }) => sequence))}::bigint[])
           with ordinality as g (seller_id, object_id, sequence, place)
     cross join lateral (
           select * from (
                  (select o.data, o.object_version, o.sequence, o.outbox_id
                     from outbox o
                    where o.seller_id = g.seller_id and o.object_id = g.object_id
                      and o.data is not null and o.type = any(${shown}::text[])
                      and (o.sequence > g.sequence or o.sequence is null)
                    order by o.sequence, o.outbox_id
                    limit 1)
                  union all
                  (select x.data, x.object_version, x.sequence, 0
                     from event_object x
                    where x.seller_id = g.seller_id and x.object_id = g.object_id
                      and x.type = any(${shown}::text[]) and x.sequence > g.sequence
                    order by x.sequence
                    limit 1)) either
            order by sequence, outbox_id
            limit 1) n`;
};

/** Rows of `g (seller_id, sequence)`, for a statement about some events. */
const keysOf = (events: readonly EventKey[]): Part => part`
  ${textArray(events.map(({ seller_id }) => seller_id))}::text[],
  ${bigintArray(events.map(({ sequence }) => sequence))}::bigint[]`;

/** Stores the data of events that have none and still exist. */
export const keep = (events: readonly (EventKey & EventContent)[]): Statement<EventKey> => statement(KEY)`
  insert into event_object (seller_id, sequence, type, object_id, object_version, data)
  select o.seller_id, o.sequence, o.type, o.object_id, g.object_version, g.data
    from unnest(${keysOf(events)}, ${jsonArray(events.map(({ data }) => data))}::json[],
                ${intArray(events.map(({ object_version }) => object_version))}::int[])
      as g (seller_id, sequence, data, object_version)
    join outbox o on o.seller_id = g.seller_id and o.sequence = g.sequence and o.sequence > 0 and o.data is null
      on conflict (seller_id, object_id, sequence) do nothing
  returning seller_id, sequence`;

const STORED = part`
  select * from outbox r where r.seller_id = g.seller_id and r.sequence = g.sequence and r.sequence > 0`;

/** The stored data of events. */
export const keptOf = (events: readonly EventKey[]): Statement<EventKey & EventContent> =>
  statement({ ...KEY, ...CONTENT })`
  select e.seller_id, e.sequence, e.data::text as data, e.object_version
    from unnest(${keysOf(events)}) as g (seller_id, sequence)
   cross join lateral (${completeEventsOf(STORED)}) e
   where e.data is not null`;
