/** Writes events in the transaction of the change; numbering and delivery come after the commit. */
import type { Db, EmittedEvent } from '../../kernel/context.ts';
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

/** Appends events of one seller; the order of the list is the order of the events. */
export async function appendEvents(
  db: Db,
  init: {
    readonly sellerId: string;
    readonly ids: Ids;
    readonly now: number;
    readonly correlation: Correlation;
  },
  events: readonly EmittedEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await db.run(
    sql(APPEND, [
      init.sellerId,
      textArray(events.map(() => init.ids.next('event'))),
      textArray(events.map((event) => event.type)),
      textArray(events.map((event) => event.object_id)),
      intArray(events.map((event) => event.object_version)),
      jsonArray(events.map((event) => (event.data === undefined ? null : JSON.stringify(event.data)))),
      JSON.stringify(init.correlation),
      new Date(init.now).toISOString(),
    ]),
  );
}
