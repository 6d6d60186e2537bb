/**
 * The objects of events that bulk writes left empty. They are read when somebody reads the events, most of which
 * nobody ever does: a feed of a hundred thousand rows costs the numbering of its events and no more.
 */
import type { Db } from '../../kernel/context.ts';
import type { EventObjects } from '../../kernel/events.ts';
import { bigintArray, intArray, jsonArray } from '../db/arrays.ts';
import { sql } from '../db/sql.ts';

export interface EmptyEvent {
  readonly seller_id: string;
  readonly type: string;
  readonly object_id: string;
}

/** The object as it stands now, with its version; null when it is gone. */
export interface FilledObject {
  readonly object: unknown;
  readonly version: number | null;
}

/**
 * Reads the objects of events, all of one seller and kind in one statement. The statements name their seller: they
 * may run in the seller's scope or the system's.
 */
export type ReadObjects = <Event extends EmptyEvent>(
  db: Db,
  events: readonly Event[],
) => Promise<ReadonlyMap<Event, FilledObject>>;

export function createReadObjects(objects: readonly EventObjects[]): ReadObjects {
  const loaders = new Map(objects.flatMap((loader) => loader.types.map((type) => [type, loader] as const)));
  return async <Event extends EmptyEvent>(db: Db, events: readonly Event[]) => {
    const filled = new Map<Event, FilledObject>();
    for (const { loader, seller, own } of grouped(loaders, events)) {
      const found = await loader?.load(db, seller, [...new Set(own.map(({ object_id }) => object_id))]);
      for (const event of own)
        filled.set(event, found?.get(event.object_id) ?? { object: null, version: null });
    }
    return filled;
  };
}

interface Group<Event> {
  readonly loader: EventObjects | undefined;
  readonly seller: string;
  readonly own: Event[];
}

function grouped<Event extends EmptyEvent>(
  loaders: ReadonlyMap<string, EventObjects>,
  events: readonly Event[],
): Iterable<Group<Event>> {
  const groups = new Map<string, Group<Event>>();
  for (const event of events) {
    const loader = loaders.get(event.type);
    const key = `${event.seller_id} ${loader?.types[0]}`;
    const group = groups.get(key) ?? { loader, seller: event.seller_id, own: [] };
    group.own.push(event);
    groups.set(key, group);
  }
  return groups.values();
}

interface Shown extends EmptyEvent {
  readonly object_version: number;
  readonly data: unknown;
}

/** The events, those that were empty with the objects as they stand now. */
export async function withObjects<Event extends Shown>(
  db: Db,
  readObjects: ReadObjects,
  events: readonly Event[],
): Promise<Event[]> {
  const filled = await readObjects(
    db,
    events.filter(({ data }) => data === null),
  );
  return events.map((event) => {
    const found = filled.get(event);
    if (found === undefined) return event;
    return {
      ...event,
      data: { object: found.object },
      object_version: found.version ?? event.object_version,
    };
  });
}

const KEEP =
  'update outbox o set data = g.data, object_version = g.version ' +
  'from unnest($2::bigint[], $3::json[], $4::int[]) as g (sequence, data, version) ' +
  'where o.seller_id = $1 and o.sequence = g.sequence and o.data is null';

/** Keeps what an event was filled with, so that whoever is sent it again is sent the same. */
export async function keepObjects(
  db: Db,
  sellerId: string,
  events: readonly { readonly sequence: bigint; readonly data: string; readonly version: number }[],
): Promise<void> {
  if (events.length === 0) return;
  await db.run(
    sql(KEEP, [
      sellerId,
      bigintArray(events.map(({ sequence }) => sequence)),
      jsonArray(events.map(({ data }) => data)),
      intArray(events.map(({ version }) => version)),
    ]),
  );
}
