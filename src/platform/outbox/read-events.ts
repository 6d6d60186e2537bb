/** Numbered events as sellers see them, pulled or delivered. Source: docs/design/wire.md#events. */
import type { Db } from '../../kernel/context.ts';
import { bigint, instant, integer, json, type RowOf, text } from '../db/columns.ts';
import { allOf, part, statement } from '../db/statement.ts';
import { completeEventsOf } from './complete-events.ts';

/** Version of the shape of events. */
export const EVENT_API_VERSION = 'v1';

export const NUMBERED_EVENT = {
  event_id: text,
  type: text,
  sequence: bigint,
  seller_id: text,
  object_id: text,
  object_version: integer,
  created_at: instant,
  data: json<unknown>(),
  correlation: json<unknown>(),
};
export type NumberedEvent = RowOf<typeof NUMBERED_EVENT>;

/**
 * Turns patterns of types into SQL: `order.*` matches every type that begins with `order.`, `*` every type.
 *
 * @returns patterns for `like any`; underscores are escaped
 */
export function typePatterns(types: readonly string[]): string[] {
  return types.map((type) => type.replaceAll('_', '\\_').replaceAll('*', '%'));
}

/** Events of the scope's seller after a number, in order. */
export async function eventsAfter(
  db: Db,
  after: bigint,
  types: readonly string[] | undefined,
  limit: number,
): Promise<NumberedEvent[]> {
  const patterns = types === undefined ? null : typePatterns(types);
  const rows = part`
    select *
      from outbox
     where sequence > 0
       and sequence > ${after}
       and ${allOf(patterns !== null && part`type like any(${patterns}::text[])`)}
     order by sequence
     limit ${limit}`;
  return db.all(statement(NUMBERED_EVENT)`
    select event_id, type, sequence, seller_id, object_id, object_version, created_at, data, correlation
      from (${completeEventsOf(rows)}) e
     order by sequence`);
}

/** The last sequence of the scope's seller; 0 before the first event. */
export async function lastSequence(db: Db): Promise<bigint> {
  return (await db.one(statement({ last: bigint })`select last from event_sequence`))?.last ?? 0n;
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
    data: event.data,
    correlation: event.correlation,
    test: false,
  };
}
