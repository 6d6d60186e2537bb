/** Numbered events as sellers see them, pulled or delivered. Source: docs/design/wire.md#events. */
import type { Correlation } from '../../kernel/context.ts';
import type { EventData } from '../../kernel/declared-event.ts';
import { bigint, instant, integer, json, nullable, type RowOf, text } from '../db/columns.ts';
import { allOf, part, statement } from '../db/statement.ts';
import type { SellerDb } from '../db/table.ts';
import { completeEventsOf } from './complete-events.ts';

/** Version of the shape of events. */
export const EVENT_API_VERSION = 'v1';

const NUMBERED_EVENT = {
  event_id: text,
  type: text,
  sequence: bigint,
  seller_id: text,
  object_id: text,
  object_version: integer,
  created_at: instant,
  /** Null for an event of a bulk write until its object is read. */
  data: nullable(json<EventData>()),
  correlation: nullable(json<Correlation>()),
};
export type NumberedEvent = RowOf<typeof NUMBERED_EVENT>;

/**
 * Turns patterns of event types into SQL. `order.*` matches every type that begins with `order.`, and `*` every type.
 *
 * @returns patterns for `like any`; underscores are escaped
 */
export function typePatterns(types: readonly string[]): string[] {
  return types.map((type) => type.replaceAll('_', '\\_').replaceAll('*', '%'));
}

/** Events of a seller after a number, in order. */
export async function eventsAfter(
  { db, seller_id }: SellerDb,
  after: bigint,
  types: readonly string[] | undefined,
  limit: number,
): Promise<NumberedEvent[]> {
  const patterns = types === undefined ? null : typePatterns(types);
  const rows = part`
    select *
      from outbox
     where seller_id = ${seller_id}
       and sequence > 0
       and sequence > ${after}
       and ${allOf(patterns !== null && part`type like any(${patterns}::text[])`)}
     order by sequence
     limit ${limit}`;
  return db.all(statement(NUMBERED_EVENT)`
    select event_id, type, sequence, seller_id, object_id, object_version, created_at, data, correlation
      from (${completeEventsOf(rows)}) e
     order by sequence`);
}

/** The last sequence of a seller; 0 before the first event. */
export async function lastSequence({ db, seller_id }: SellerDb): Promise<bigint> {
  const row = await db.one(statement({ last: bigint })`
    select last
      from event_sequence
     where seller_id = ${seller_id}`);
  return row?.last ?? 0n;
}

/** The event on the wire. */
export function eventToWire(event: NumberedEvent) {
  return {
    id: event.event_id,
    type: event.type,
    sequence: Number(event.sequence),
    created_at: event.created_at,
    api_version: EVENT_API_VERSION,
    seller_id: event.seller_id,
    object_version: event.object_version,
    data: event.data ?? { object: null },
    correlation: event.correlation,
    test: false,
  };
}
