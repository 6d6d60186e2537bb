/**
 * Gives committed events their numbers: one transaction after another, never two at once, whatever the number of
 * workers. So the numbers of a seller have no gap, nobody's request waits for another's, and what is read by
 * number is complete. Notifications are written here.
 * Source: contract section 7.
 */
import type { Clock, Db, Logger } from '../../kernel/context.ts';
import type { OutgoingEventDef } from '../../kernel/events.ts';
import type { Ids } from '../../kernel/ids.ts';
import type { WorkLoop } from '../../kernel/route.ts';
import type { WithSystem } from '../db/scope.ts';
import { repeat } from '../jobs/repeat.ts';
import { BULK_EVENTS_MAX } from './append.ts';
import type { ReadObjects } from './fill-events.ts';
import {
  ANY_UNNUMBERED,
  HOLD,
  type Numbered,
  notify,
  numberEvents,
  type Unnumbered,
  unnumbered,
} from './sequence-statements.ts';
import { type Sequenced, toNotifications } from './to-notifications.ts';

/** A round numbers at most so many events of so many sellers: some tens of milliseconds. */
const SELLERS_MAX = 50;
/** Two looks in the time within which an event must be numbered (1 s), with room for a busy round. */
const IDLE_MS = 100;

export interface SequencerOptions {
  readonly withSystem: WithSystem;
  readonly ids: Ids;
  readonly now: Clock;
  readonly log: Logger;
  readonly events: readonly OutgoingEventDef[];
  readonly readObjects: ReadObjects;
}

/** The numbering of committed events, with the notifications that follow from them. */
export function createSequencer(options: SequencerOptions): WorkLoop & { round(): Promise<number> } {
  const { withSystem, ids, now, log, events, readObjects } = options;
  const defs = new Map(events.map((def) => [def.type, def]));
  const withObject = events.filter((def) => def.notification !== undefined).map(({ type }) => type);
  const notifying = new Set(withObject);
  /** Sellers are taken in turn: the last one of the round before. */
  let after = '';

  async function number(db: Db, rows: readonly Unnumbered[]): Promise<Sequenced[]> {
    // The titles of notifications are made of the objects; of the others they are read when somebody asks.
    const read = await readObjects(
      db,
      rows.filter(({ bare, type }) => bare && notifying.has(type)),
    );
    const numbered = rows.map((event): Numbered => {
      const found = read.get(event);
      const def = defs.get(event.type);
      return {
        event,
        data: found === undefined ? null : JSON.stringify({ object: found.object }),
        objectVersion: found?.version ?? event.object_version,
        toSeller: def?.sellers !== false,
        toMarketplace: def?.marketplace === true,
      };
    });
    const given = await db.all(numberEvents(numbered));
    const sequences = new Map(given.map((row) => [row.event_id, row.sequence]));
    return rows.map((event) => ({
      event,
      object: event.object ?? (read.get(event)?.object as Sequenced['object']) ?? null,
      sequence: sequences.get(event.event_id) ?? 0n,
    }));
  }

  const inside = async (db: Db): Promise<number> => {
    if (!(await db.one(HOLD))?.held) return 0;
    const bounds = { sellers: SELLERS_MAX, rowsEach: BULK_EVENTS_MAX, withObject };
    let rows = await db.all(unnumbered({ ...bounds, after }));
    if (rows.length === 0 && after !== '') rows = await db.all(unnumbered({ ...bounds, after: '' }));
    after = rows.at(-1)?.seller_id ?? '';
    if (rows.length === 0) return 0;
    const sequenced = await number(db, rows);
    const notifications = toNotifications(sequenced, defs, ids, now());
    if (notifications.length > 0) await db.run(notify(notifications));
    return rows.length;
  };
  const round = (): Promise<number> => withSystem('sequencer', 'write', inside);
  return {
    ...repeat({ name: 'outbox.sequencer', log, idleMs: IDLE_MS, round: async () => (await round()) > 0 }),
    round,
    // What happens while a manual clock is moved is numbered, and then delivered, at its own instant.
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
