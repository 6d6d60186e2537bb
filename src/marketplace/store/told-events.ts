import type { Db } from '../../kernel/context.ts';
import { sql } from '../../platform/db/sql.ts';
import { completeEvents } from '../../platform/outbox/complete-events.ts';

/** An event as the marketplace reads it. */
export interface ToldEvent {
  /** Place in the order over all sellers, digits. */
  readonly position: string;
  readonly id: string;
  readonly type: string;
  readonly seller_id: string;
  readonly object_id: string;
  readonly object_version: number;
  /** RFC 3339. */
  readonly created_at: string;
  readonly data: unknown;
  readonly correlation: unknown;
}

const TOLD =
  'select position::text as position, event_id as id, type, seller_id, object_id, object_version, created_at, data, correlation, sequence ' +
  `from (${completeEvents('select * from v_platform_event where position > $1 order by position limit $2')}) e order by e.position`;

/** The same with its number among the events of its seller. */
export interface ToldRow extends ToldEvent {
  readonly sequence: bigint;
}

/** Events that the marketplace is told, after a position, in order. */
export async function listTold(db: Db, after: bigint, limit: number): Promise<ToldRow[]> {
  return db.all<ToldRow>(sql(TOLD, [after, limit]));
}
