/**
 * Numbers committed events, one transaction at a time over all workers. So the numbers of a seller have no gap, no
 * request waits for another, and a reader by number misses no event. Notifications are written in the same transaction.
 * Source: docs/design/wire.md#events.
 */
import type { Clock, Db, Logger } from '../../kernel/context.ts';
import {
  hasValues,
  type NumberedNotice,
  type OnNumbered,
  type OutgoingEventDef,
} from '../../kernel/events.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { WorkLoop } from '../../kernel/route.ts';
import type { WithSystem } from '../db/scope.ts';
import { repeat } from '../jobs/repeat.ts';
import type { FillEvents } from './fill-events.ts';
import type { EventContent } from './fill-statements.ts';
import {
  ANY_UNNUMBERED,
  bulkBefore,
  HOLD,
  lockFreeNumbers,
  type Numbered,
  numberEvents,
  type RoundBounds,
  type Turn,
  type Unnumbered,
  waiting,
} from './sequence-statements.ts';

/** An event must be numbered within a second. With this size a round takes a fraction of it. */
const BOUNDS: RoundBounds = { sellers: 50, singlesEach: 200, bulkSellers: 4 };
/** An event must be numbered within a second, so the sequencer polls several times a second. */
const IDLE_MS = 100;

interface SequencerOptions {
  readonly withSystem: WithSystem;
  readonly ids: Ids;
  readonly now: Clock;
  readonly log: Logger;
  readonly events: readonly OutgoingEventDef[];
  readonly fillEvents: FillEvents;
  readonly onNumbered: readonly OnNumbered[];
  /** Counts each event by its type. */
  readonly countEvent?: (type: string) => void;
}

const FIRST: Turn = { singles: '', bulk: '' };

/** The next round begins with the sellers that this round had no room for. */
function nextTurn(turn: Turn, rows: readonly Unnumbered[]): Turn {
  const behind = (after: string, bulk: boolean, max: number): string => {
    const own = rows.filter((row) => row.bulk === bulk && row.seller_id > after);
    const sellers = [...new Set(own.map(({ seller_id }) => seller_id))].sort().slice(0, max);
    return sellers.length === max ? (sellers.at(-1) ?? '') : '';
  };
  const next = {
    singles: behind(turn.singles, false, BOUNDS.sellers),
    bulk: behind(turn.bulk, true, BOUNDS.bulkSellers),
  };
  return next.singles === '' && next.bulk === '' ? FIRST : next;
}

const byOrder = (a: Unnumbered, b: Unnumbered): number => {
  if (a.seller_id !== b.seller_id) return a.seller_id < b.seller_id ? -1 : 1;
  return Number(a.outbox_id === b.outbox_id ? a.place - b.place : a.outbox_id - b.outbox_id);
};

/**
 * The events in the order of writing, with the bulk events that must come before them. A change holds its object from
 * before it writes its event until the commit. So every earlier event about the object is visible to this second read.
 */
async function withBulkBefore(db: Db, found: readonly Unnumbered[]): Promise<Unnumbered[]> {
  const behind = found.filter((row) => row.behind);
  const before = behind.length === 0 ? [] : await db.all(bulkBefore(behind));
  const known = new Set(found.map(({ event_id }) => event_id));
  return [...found, ...before.filter(({ event_id }) => !known.has(event_id))].sort(byOrder);
}

/** Leaves out sellers whose events an erasure rewrites, so no other seller waits for it. */
async function withoutLockedSellers(db: Db, found: readonly Unnumbered[]): Promise<readonly Unnumbered[]> {
  if (found.length === 0) return found;
  const held = await db.all(lockFreeNumbers([...new Set(found.map(({ seller_id }) => seller_id))]));
  const waits = new Set(held.map(({ seller_id }) => seller_id));
  return found.filter(({ seller_id }) => !waits.has(seller_id));
}

const objectOf = (shown: EventContent | undefined): NumberedNotice['object'] =>
  shown === undefined ? null : (JSON.parse(shown.data) as { object: NumberedNotice['object'] }).object;

/** Numbers committed events, and writes the notifications that follow from them. */
export function createSequencer(options: SequencerOptions): WorkLoop & { round(): Promise<number> } {
  const { withSystem, now, log, events, fillEvents, onNumbered, countEvent = () => undefined } = options;
  const defs = new Map(events.map((def) => [def.type, def]));
  const isNoticed = ({ notification, clears }: OutgoingEventDef): boolean =>
    notification !== undefined || clears !== undefined;
  const withObject = events
    .filter((def) => isNoticed(def) || typeof def.marketplace === 'object')
    .map(({ type }) => type);
  let turn = FIRST;
  /** The bounds of the last round may have left events behind. */
  let more = false;

  /** @returns the events that make or acknowledge notifications */
  async function number(db: Db, rows: readonly Unnumbered[]): Promise<NumberedNotice[]> {
    const numbered = rows.map((event): Numbered => {
      const def = defs.get(event.type);
      const { sellers, marketplace } = def ?? {};
      const toMarketplace =
        typeof marketplace === 'object' ? hasValues(event.object, marketplace) : marketplace === true;
      return { event, toSeller: sellers !== false, toMarketplace };
    });
    const given = await db.all(numberEvents(numbered));
    const sequences = new Map(given.map((row) => [row.event_id, row.sequence]));
    const found = rows.flatMap((event) => {
      const def = defs.get(event.type);
      const sequence = sequences.get(event.event_id) ?? 0n;
      return def !== undefined && isNoticed(def) && sequence !== 0n ? [{ ...event, def, sequence }] : [];
    });
    // Titles of notifications need the object now. Other objects are loaded when the event is first read.
    const late = found.filter(({ bare }) => bare);
    const shown = await fillEvents.atOnce(db, late);
    return found.map((event) => ({ ...event, object: event.object ?? objectOf(shown.get(event)) }));
  }

  const inside = async (db: Db): Promise<readonly Unnumbered[]> => {
    more = false;
    // Most rounds find nothing, and this statement is planned in a tenth of the time of the next one.
    const [hold, left] = await Promise.all([db.one(HOLD), db.one(ANY_UNNUMBERED)]);
    if (!hold?.held) return [];
    if (!left?.waiting) {
      turn = FIRST;
      return [];
    }
    let found: readonly Unnumbered[] = await db.all(waiting(turn, BOUNDS, withObject));
    if (found.length === 0 && turn !== FIRST) {
      turn = FIRST;
      found = await db.all(waiting(turn, BOUNDS, withObject));
    }
    turn = nextTurn(turn, found);
    found = await withoutLockedSellers(db, found);
    more = turn !== FIRST || found.length >= BOUNDS.singlesEach || found.some(({ bulk }) => bulk);
    if (found.length === 0) return [];
    const rows = await withBulkBefore(db, found);
    const numbered = await number(db, rows);
    for (const write of onNumbered) await write(db, numbered, options);
    return rows;
  };
  const round = async (): Promise<number> => {
    const rows = await withSystem('sequencer', 'write', inside);
    for (const { type } of rows) countEvent(type);
    return rows.length;
  };
  return {
    // A round that left nothing behind is followed by a pause, in which events collect: a round costs nearly the same
    // for one event and for a hundred.
    ...repeat({ name: 'outbox.sequencer', log, idleMs: IDLE_MS, round: () => round().then(() => more) }),
    round,
    // While a manual clock moves, an event is numbered and delivered at its own instant.
    due: {
      nextDueAt: async () =>
        (await withSystem('sequencer', 'read', (db) => db.one(ANY_UNNUMBERED)))?.waiting ? now() : undefined,
      async runDue() {
        for (let count = 0; ; ) {
          const numbered = await round();
          if (numbered === 0) return count;
          count += numbered;
        }
      },
    },
  };
}
