/** Numbered events as sellers see them, pulled or delivered. Source: docs/design/wire.md#events. */
import type { Db } from '../../kernel/context.ts';
import { sql } from '../db/sql.ts';
import { completeEvents } from './complete-events.ts';

/** Version of the shape of events. */
export const EVENT_API_VERSION = 'v1';

export interface NumberedEvent {
  readonly event_id: string;
  readonly type: string;
  readonly sequence: bigint;
  readonly seller_id: string;
  readonly object_id: string;
  readonly object_version: number;
  /** RFC 3339. */
  readonly created_at: string;
  readonly data: unknown;
  readonly correlation: unknown;
}

const EVENT_COLUMNS =
  'event_id, type, sequence, seller_id, object_id, object_version, created_at, data, correlation';

/**
 * Turns patterns of types into SQL: `order.*` matches every type that begins with `order.`, `*` every type.
 *
 * @returns patterns for `like any`; underscores are escaped
 */
export function typePatterns(types: readonly string[]): string[] {
  return types.map((type) => type.replaceAll('_', '\\_').replaceAll('*', '%'));
}

const NEXT =
  'select * from outbox where sequence > 0 and sequence > $1 and ($2::text[] is null or type like any($2)) ' +
  'order by sequence limit $3';
const AFTER = `select ${EVENT_COLUMNS} from (${completeEvents(NEXT)}) e order by sequence`;

/** Events of the scope's seller after a number, in order. */
export async function eventsAfter(
  db: Db,
  after: bigint,
  types: readonly string[] | undefined,
  limit: number,
): Promise<NumberedEvent[]> {
  const patterns = types === undefined ? null : typePatterns(types);
  return db.all<NumberedEvent>(sql(AFTER, [after, patterns, limit]));
}

/** The last sequence of the scope's seller; 0 before the first event. */
export async function lastSequence(db: Db): Promise<bigint> {
  return (await db.one<{ last: bigint }>(sql('select last from event_sequence')))?.last ?? 0n;
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
