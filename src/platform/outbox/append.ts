/** Writes events in the transaction of the change; numbering and delivery come after the commit. */
import type { Correlation, Db } from '../../kernel/context.ts';
import type { DeclaredEvent } from '../../kernel/declared-event.ts';
import type { Ids } from '../../kernel/ids.ts';
import { intArray, jsonArray, textArray } from '../db/arrays.ts';
import { command } from '../db/statement.ts';
import { storedTrace } from '../trace/trace-context.ts';

/** The seller of the events, and the request that caused them. */
interface EventOrigin {
  readonly sellerId: string;
  readonly ids: Ids;
  readonly now: number;
  readonly correlation: Correlation;
}

/** What the events show of their cause, as JSON. */
const correlationOf = ({ correlation }: EventOrigin): string =>
  JSON.stringify({ ...correlation, ...storedTrace() });

/** Appends events of one seller; the order of the list is the order of the events. */
export async function appendEvents(
  db: Db,
  init: EventOrigin,
  events: readonly DeclaredEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const data = events.map((event) => (event.data === undefined ? null : JSON.stringify(event.data)));
  db.later(command`
    insert into outbox
           (seller_id, event_id, type, object_id, object_version, data, correlation, created_at)
    select ${init.sellerId}, e.event_id, e.type, e.object_id, e.object_version, e.data,
           ${correlationOf(init)}::json, ${new Date(init.now).toISOString()}
      from unnest(${textArray(events.map(() => init.ids.next('evt_')))}::text[],
                  ${textArray(events.map(({ type }) => type))}::text[],
                  ${textArray(events.map(({ object_id }) => object_id))}::text[],
                  ${intArray(events.map(({ object_version }) => object_version))}::int[],
                  ${jsonArray(data)}::json[])
        as e (event_id, type, object_id, object_version, data)`);
}

/** Events of one bulk row: as many as the sequencer numbers for a seller at once. */
const BULK_EVENTS_MAX = 500;

/** An event without its object, which is loaded when the event is first read. */
type BulkEvent = Omit<DeclaredEvent, 'data'>;

const kindOf = ({ object_id }: BulkEvent): string => object_id.slice(0, object_id.indexOf('_') + 1);

/**
 * Appends the events of a bulk write, hundreds to a row. They keep their order among themselves and relative to other
 * events of the same objects.
 */
export async function appendBulk(db: Db, init: EventOrigin, events: readonly BulkEvent[]): Promise<void> {
  const rows = [...Map.groupBy(events, kindOf)].flatMap(([kind, own]) =>
    Array.from({ length: Math.ceil(own.length / BULK_EVENTS_MAX) }, (_, index) => ({
      kind,
      own: own.slice(index * BULK_EVENTS_MAX, (index + 1) * BULK_EVENTS_MAX),
    })),
  );
  await Promise.all(
    rows.map(({ kind, own }) =>
      db.run(command`
        insert into outbox_bulk
               (seller_id, kind, event_ids, types, object_ids, object_versions, correlation, created_at)
        values (${init.sellerId}, ${kind},
                ${textArray(own.map(() => init.ids.next('evt_')))}::text[],
                ${textArray(own.map(({ type }) => type))}::text[],
                ${textArray(own.map(({ object_id }) => object_id))}::text[],
                ${intArray(own.map(({ object_version }) => object_version))}::int[],
                ${correlationOf(init)}::json, ${new Date(init.now).toISOString()})`),
    ),
  );
}
