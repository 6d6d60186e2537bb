/** Writes events in the transaction of the change; numbering and delivery come after the commit. */
import type { Db } from '../../kernel/context.ts';
import type { DeclaredEvent } from '../../kernel/declared-event.ts';
import type { Ids } from '../../kernel/ids.ts';
import { intArray, jsonArray, textArray } from '../db/arrays.ts';
import { sql } from '../db/sql.ts';

export interface Correlation {
  readonly request_id: string | null;
  readonly idempotency_key: string | null;
}

/** One statement for any number of events. */
const APPEND =
  'insert into outbox (seller_id, event_id, type, object_id, object_version, data, correlation, created_at) ' +
  'select $1, e.event_id, e.type, e.object_id, e.object_version, e.data, $7::json, $8 ' +
  'from unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::json[]) as e (event_id, type, object_id, object_version, data)';

/** The seller of the events, and the request that caused them. */
export interface EventOrigin {
  readonly sellerId: string;
  readonly ids: Ids;
  readonly now: number;
  readonly correlation: Correlation;
}

/** Appends events of one seller; the order of the list is the order of the events. */
export async function appendEvents(
  db: Db,
  init: EventOrigin,
  events: readonly DeclaredEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await db.run(
    sql(APPEND, [
      init.sellerId,
      textArray(events.map(() => init.ids.next('evt_'))),
      textArray(events.map((event) => event.type)),
      textArray(events.map((event) => event.object_id)),
      intArray(events.map((event) => event.object_version)),
      jsonArray(events.map((event) => (event.data === undefined ? null : JSON.stringify(event.data)))),
      JSON.stringify(init.correlation),
      new Date(init.now).toISOString(),
    ]),
  );
}

/** Events of one bulk row: as many as the sequencer numbers for a seller at once. */
export const BULK_EVENTS_MAX = 500;

const APPEND_BULK =
  'insert into outbox_bulk (seller_id, kind, event_ids, types, object_ids, object_versions, correlation, created_at) ' +
  'values ($1, $2, $3::text[], $4::text[], $5::text[], $6::int[], $7::json, $8)';

/** An event without its object, which is loaded when the event is first read. */
export type BulkEvent = Omit<DeclaredEvent, 'data'>;

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
      db.run(
        sql(APPEND_BULK, [
          init.sellerId,
          kind,
          textArray(own.map(() => init.ids.next('evt_'))),
          textArray(own.map(({ type }) => type)),
          textArray(own.map(({ object_id }) => object_id)),
          intArray(own.map(({ object_version }) => object_version)),
          JSON.stringify(init.correlation),
          new Date(init.now).toISOString(),
        ]),
      ),
    ),
  );
}
