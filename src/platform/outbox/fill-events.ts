/**
 * The objects of events that bulk writes left empty. They are read when somebody first reads the events, most of
 * which nobody ever does: a feed of a hundred thousand rows costs the numbering of its events and no more. What is
 * read is kept: whoever reads an event later, by whatever way, sees the same.
 *
 * An event shows its object as the change left it or as a later change did, and never as it is after the next event
 * about it: so the versions of an object never go back from one event to the next.
 */
import type { Db } from '../../kernel/context.ts';
import type { EventObjects } from '../../kernel/events.ts';
import {
  type EventKey,
  keep,
  keptOf,
  type LateEvent,
  lockSellers,
  nextOf,
  type Shown,
  tryLockSellers,
} from './fill-statements.ts';

type Fill = <Event extends LateEvent>(db: Db, events: readonly Event[]) => Promise<ReadonlyMap<Event, Shown>>;

/** What events show that were written without their objects. The handle is that of a transaction that writes. */
export interface FillEvents {
  /** Keeps what is found; waits for others who do the same for the seller. */
  readonly keeping: Fill;
  /** The same without waiting: while somebody else does it, nothing is kept. */
  readonly atOnce: Fill;
}

/**
 * The events, those that were written without their objects with what they show.
 *
 * @param fill called when there are any, in a transaction that writes
 */
export async function wholeEvents<Event extends LateEvent & { readonly data: unknown }>(
  events: readonly Event[],
  fill: (bare: readonly Event[]) => Promise<ReadonlyMap<Event, Shown>>,
): Promise<Event[]> {
  const bare = events.filter(({ data }) => data === null);
  if (bare.length === 0) return [...events];
  const shown = await fill(bare);
  return events.map((event) => {
    const found = shown.get(event);
    if (found === undefined) return event;
    return { ...event, data: JSON.parse(found.data) as unknown, object_version: found.object_version };
  });
}

const NOTHING = JSON.stringify({ object: null });
const keyOf = ({ seller_id, sequence }: EventKey): string => `${seller_id} ${sequence}`;

export function createFillEvents(objects: readonly EventObjects[]): FillEvents {
  const sources = new Map(objects.flatMap((source) => source.types.map((type) => [type, source] as const)));
  const fill =
    (lock: typeof lockSellers): Fill =>
    async (db, events) => {
      if (events.length === 0) return new Map();
      const locked = (await db.one(lock(events)))?.locked === true;
      const found = await find(sources, db, events);
      const kept = locked ? await settle(db, events, found) : new Map<string, Shown>();
      return new Map(
        events.map((event, index) => [event, kept.get(keyOf(event)) ?? found[index] ?? nothing(event)]),
      );
    };
  return { keeping: fill(lockSellers), atOnce: fill(tryLockSellers) };
}

const nothing = ({ object_version }: LateEvent): Shown => ({ data: NOTHING, object_version });

/** Keeps what was found; what others have kept before is theirs. */
async function settle(
  db: Db,
  events: readonly LateEvent[],
  found: readonly Shown[],
): Promise<ReadonlyMap<string, Shown>> {
  const rows = events.map((event, index) => ({ ...event, ...(found[index] ?? nothing(event)) }));
  const ours = new Set((await db.all(keep(rows))).map(keyOf));
  const others = events.filter((event) => !ours.has(keyOf(event)));
  if (others.length === 0) return new Map();
  return new Map((await db.all(keptOf(others))).map((row) => [keyOf(row), row]));
}

type Sources = ReadonlyMap<string, EventObjects>;

async function find(sources: Sources, db: Db, events: readonly LateEvent[]): Promise<Shown[]> {
  const present = await presentOf(sources, db, events);
  // Looked for after the objects were read: what has changed them since is no further than they are then.
  const moved = events.filter((event) => present.get(event)?.object_version !== event.object_version);
  const following = await followingOf(sources, db, moved);
  return events.map((event) => {
    const [now, next] = [present.get(event), following.get(event)];
    const behind = next !== undefined && (now === undefined || next.object_version < now.object_version);
    return (behind ? next : now) ?? nothing(event);
  });
}

/** As the objects stand now, all of one seller and source in one statement; what is gone is left out. */
async function presentOf(
  sources: Sources,
  db: Db,
  events: readonly LateEvent[],
): Promise<ReadonlyMap<LateEvent, Shown>> {
  const present = new Map<LateEvent, Shown>();
  for (const own of bySource(sources, events, ({ seller_id }) => seller_id)) {
    const [first] = own;
    const source = sources.get(first?.type ?? '');
    if (first === undefined || source === undefined) continue;
    const ids = [...new Set(own.map(({ object_id }) => object_id))];
    const found = await source.load(db, first.seller_id, ids);
    for (const event of own) {
      const one = found.get(event.object_id);
      if (one !== undefined)
        present.set(event, { data: JSON.stringify({ object: one.object }), object_version: one.version });
    }
  }
  return present;
}

/** What the next events about the same objects show. */
async function followingOf(
  sources: Sources,
  db: Db,
  events: readonly LateEvent[],
): Promise<ReadonlyMap<LateEvent, Shown>> {
  const following = new Map<LateEvent, Shown>();
  for (const own of bySource(sources, events, () => '')) {
    const types = sources.get(own[0]?.type ?? '')?.types ?? [];
    for (const { place, ...shown } of await db.all(nextOf(own, types))) {
      const event = own[place];
      if (event !== undefined) following.set(event, shown);
    }
  }
  return following;
}

/** The events apart by where their objects come from, and by something else about them. */
const bySource = (
  sources: Sources,
  events: readonly LateEvent[],
  also: (event: LateEvent) => string,
): Iterable<LateEvent[]> =>
  Map.groupBy(events, (event) => `${sources.get(event.type)?.types[0]} ${also(event)}`).values();
