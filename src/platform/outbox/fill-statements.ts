/** Statements on the objects of events. They run in both scopes, so each names its sellers. */
import type { Statement } from '../../kernel/context.ts';
import { bigintArray, intArray, jsonArray, textArray } from '../db/arrays.ts';
import { BY_INDEX } from '../db/by-index.ts';
import { sql } from '../db/sql.ts';
import { completeEvents } from './complete-events.ts';

export interface EventKey {
  readonly seller_id: string;
  readonly sequence: bigint;
}

/** An event that was written without its object. */
export interface LateEvent extends EventKey {
  readonly type: string;
  readonly object_id: string;
  /** Version of the object when the event was written. */
  readonly object_version: number;
}

/** The content of an event: JSON of its data, and the version of its object. */
export interface Shown {
  readonly data: string;
  readonly object_version: number;
}

const LOCKS =
  "(select distinct hashtextextended('outbox-objects:' || s, 0) as lock from unnest($1::text[]) s order by lock) l";
const sellersOf = (events: readonly EventKey[]): unknown[] => [
  textArray([...new Set(events.map(({ seller_id }) => seller_id))]),
];

/** Locks the stored objects of the sellers until the end of the transaction, in one order, so there is no deadlock. */
export const lockSellers = (events: readonly EventKey[]): Statement<{ locked: boolean }> =>
  sql(
    `select bool_and(pg_advisory_xact_lock(lock)::text is not null) as locked, ${BY_INDEX} from ${LOCKS}`,
    sellersOf(events),
  );

/** The same without waiting: false when another transaction holds a lock; some sellers may be locked then. */
export const tryLockSellers = (events: readonly EventKey[]): Statement<{ locked: boolean }> =>
  sql(
    `select bool_and(pg_try_advisory_xact_lock(lock)) as locked, ${BY_INDEX} from ${LOCKS}`,
    sellersOf(events),
  );

const NEXT =
  `select g.place::int - 1 as place, '{"object":' || coalesce((n.data -> 'object')::text, 'null') || '}' as data, n.object_version ` +
  'from unnest($1::text[], $2::text[], $3::bigint[]) with ordinality as g (seller_id, object_id, sequence, place) ' +
  'cross join lateral (select * from (' +
  '(select o.data, o.object_version, o.sequence, o.outbox_id from outbox o where o.seller_id = g.seller_id and o.object_id = g.object_id ' +
  'and o.data is not null and o.type = any($4::text[]) and (o.sequence > g.sequence or o.sequence is null) ' +
  'order by o.sequence, o.outbox_id limit 1) union all ' +
  '(select x.data, x.object_version, x.sequence, 0 from event_object x where x.seller_id = g.seller_id and x.object_id = g.object_id ' +
  'and x.type = any($4::text[]) and x.sequence > g.sequence order by x.sequence limit 1)) either ' +
  'order by sequence, outbox_id limit 1) n';

/**
 * The content of the next event about each object that has data, numbered or not. Events without one are left out.
 *
 * @param types whose events show the same kind of object, with one count of versions
 */
export const nextOf = (
  events: readonly LateEvent[],
  types: readonly string[],
): Statement<Shown & { readonly place: number }> =>
  sql(NEXT, [
    textArray(events.map(({ seller_id }) => seller_id)),
    textArray(events.map(({ object_id }) => object_id)),
    bigintArray(events.map(({ sequence }) => sequence)),
    textArray(types),
  ]);

const keysOf = (events: readonly EventKey[]): unknown[] => [
  textArray(events.map(({ seller_id }) => seller_id)),
  bigintArray(events.map(({ sequence }) => sequence)),
];

const KEEP =
  'insert into event_object (seller_id, sequence, type, object_id, object_version, data) ' +
  'select o.seller_id, o.sequence, o.type, o.object_id, g.object_version, g.data ' +
  'from unnest($1::text[], $2::bigint[], $3::json[], $4::int[]) as g (seller_id, sequence, data, object_version) ' +
  'join outbox o on o.seller_id = g.seller_id and o.sequence = g.sequence and o.sequence > 0 and o.data is null ' +
  'on conflict (seller_id, object_id, sequence) do nothing returning seller_id, sequence';

/** Stores the data of events that have none and still exist. */
export const keep = (events: readonly (EventKey & Shown)[]): Statement<EventKey> =>
  sql(KEEP, [
    ...keysOf(events),
    jsonArray(events.map(({ data }) => data)),
    intArray(events.map(({ object_version }) => object_version)),
  ]);

const KEPT =
  'select e.seller_id, e.sequence, e.data::text as data, e.object_version from unnest($1::text[], $2::bigint[]) as g (seller_id, sequence) ' +
  `cross join lateral (${completeEvents('select * from outbox r where r.seller_id = g.seller_id and r.sequence = g.sequence and r.sequence > 0')}) e ` +
  'where e.data is not null';

/** The stored data of events. */
export const keptOf = (events: readonly EventKey[]): Statement<EventKey & Shown> => sql(KEPT, keysOf(events));
