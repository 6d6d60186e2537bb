/**
 * Loads the objects of events that bulk writes left empty, when the events are first read. Most are never read, so a
 * feed of a hundred thousand rows costs only the numbering of its events. The object is stored: every later reader
 * sees the same (docs/adr/0009-events-are-filled-when-first-read.md).
 *
 * An event shows its object as of its change or later, but never as of a change after the next event about the object.
 * So the versions of an object never go back from one event to the next.
 */
import type { Db } from '../../kernel/context.ts';
import type { EventObjects } from '../../kernel/events.ts';
import {
  type EventContent,
  type EventKey,
  keep,
  keptOf,
  type LateEvent,
  lockSellers,
  nextOf,
  tryLockSellers,
} from './fill-statements.ts';

type Fill = <Event extends LateEvent>(
  db: Db,
  events: readonly Event[],
) => Promise<ReadonlyMap<Event, EventContent>>;

/** Loads the objects of events that were written without them. The handle must belong to a transaction that writes. */
export interface FillEvents {
  /** Stores what it loads; waits for other fills of the same seller. */
  readonly keeping: Fill;
  /** The same without waiting: while another transaction fills events of the seller, it loads and does not store. */
  readonly atOnce: Fill;
}

/**
 * The events with their objects.
 *
 * @param fill loads missing objects, in a transaction that writes; called only when some are missing
 */
export async function wholeEvents<Event extends LateEvent & { readonly data: unknown }>(
  events: readonly Event[],
  fill: (bare: readonly Event[]) => Promise<ReadonlyMap<Event, EventContent>>,
): Promise<Event[]> {
  const bare = events.filter(({ data }) => data === null);
  if (bare.length === 0) return [...events];
  const contents = await fill(bare);
  return events.map((event) => {
    const found = contents.get(event);
    if (found === undefined) return event;
    return { ...event, data: JSON.parse(found.data) as unknown, object_version: found.object_version };
  });
}

const NO_OBJECT = JSON.stringify({ object: null });
const keyOf = ({ seller_id, sequence }: EventKey): string => `${seller_id} ${sequence}`;

export function createFillEvents(objects: readonly EventObjects[], services: FillServices): FillEvents {
  const sources = new Map(objects.flatMap((source) => source.types.map((type) => [type, source] as const)));
  const fill =
    (lock: typeof lockSellers): Fill =>
    async (db, events) => {
      if (events.length === 0) return new Map();
      const locked = (await db.one(lock(events)))?.locked === true;
      const found = await find(sources, db, events, services);
      const kept = locked ? await settle(db, events, found) : new Map<string, EventContent>();
      return new Map(
        events.map((event, index) => [event, kept.get(keyOf(event)) ?? found[index] ?? nothing(event)]),
      );
    };
  return { keeping: fill(lockSellers), atOnce: fill(tryLockSellers) };
}

const nothing = ({ object_version }: LateEvent): EventContent => ({ data: NO_OBJECT, object_version });

/** Stores what was loaded; an object that was stored before wins. */
async function settle(
  db: Db,
  events: readonly LateEvent[],
  found: readonly EventContent[],
): Promise<ReadonlyMap<string, EventContent>> {
  const rows = events.map((event, index) => ({ ...event, ...(found[index] ?? nothing(event)) }));
  const ours = new Set((await db.all(keep(rows))).map(keyOf));
  const others = events.filter((event) => !ours.has(keyOf(event)));
  if (others.length === 0) return new Map();
  return new Map((await db.all(keptOf(others))).map((row) => [keyOf(row), row]));
}

type Sources = ReadonlyMap<string, EventObjects>;
type FillServices = Parameters<EventObjects['load']>[3];

async function find(
  sources: Sources,
  db: Db,
  events: readonly LateEvent[],
  services: FillServices,
): Promise<EventContent[]> {
  const present = await presentOf(sources, db, events, services);
  // The next events are read after the objects, so no object is newer than the events that were read.
  const moved = events.filter((event) => present.get(event)?.object_version !== event.object_version);
  const following = await followingOf(sources, db, moved);
  return events.map((event) => {
    const [now, next] = [present.get(event), following.get(event)];
    const behind = next !== undefined && (now === undefined || next.object_version < now.object_version);
    return (behind ? next : now) ?? nothing(event);
  });
}

/** The present objects, one statement for each seller and source. Deleted objects are left out. */
async function presentOf(
  sources: Sources,
  db: Db,
  events: readonly LateEvent[],
  services: FillServices,
): Promise<ReadonlyMap<LateEvent, EventContent>> {
  const present = new Map<LateEvent, EventContent>();
  for (const own of bySource(sources, events, ({ seller_id }) => seller_id)) {
    const [first] = own;
    const source = sources.get(first?.type ?? '');
    if (first === undefined || source === undefined) continue;
    const ids = [...new Set(own.map(({ object_id }) => object_id))];
    const found = await source.load(db, first.seller_id, ids, services);
    for (const event of own) {
      const one = found.get(event.object_id);
      if (one !== undefined)
        present.set(event, { data: JSON.stringify({ object: one.object }), object_version: one.version });
    }
  }
  return present;
}

/** The data of the next events about the same objects. */
async function followingOf(
  sources: Sources,
  db: Db,
  events: readonly LateEvent[],
): Promise<ReadonlyMap<LateEvent, EventContent>> {
  const following = new Map<LateEvent, EventContent>();
  for (const own of bySource(sources, events, () => '')) {
    const types = sources.get(own[0]?.type ?? '')?.types ?? [];
    for (const { place, ...contents } of await db.all(nextOf(own, types))) {
      const event = own[place];
      if (event !== undefined) following.set(event, contents);
    }
  }
  return following;
}

/** Groups events by the source of their objects and by another key. */
const bySource = (
  sources: Sources,
  events: readonly LateEvent[],
  also: (event: LateEvent) => string,
): Iterable<LateEvent[]> =>
  Map.groupBy(events, (event) => `${sources.get(event.type)?.types[0]} ${also(event)}`).values();
