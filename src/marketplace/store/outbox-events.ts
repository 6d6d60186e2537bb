import type { Db } from '../../kernel/context.ts';
import { bigint, instant, integer, json, nullable, type RowOf, text } from '../../platform/db/columns.ts';
import { part, statement } from '../../platform/db/statement.ts';
import { completeEventsOf } from '../../platform/outbox/complete-events.ts';

const row = {
  /** The place of the event in the order over all sellers, as digits. */
  position: text,
  id: text,
  type: text,
  seller_id: text,
  object_id: text,
  object_version: integer,
  created_at: instant,
  data: nullable(json<unknown>()),
  correlation: json<unknown>(),
  /** The number of the event among those of its seller. */
  sequence: bigint,
};

type OutboxRow = RowOf<typeof row>;
/** An event as the marketplace reads it. */
export type OutboxEvent = Omit<OutboxRow, 'sequence'>;

/** Events after a position, in order. */
export const listOutboxEvents = (db: Db, after: bigint, limit: number): Promise<OutboxRow[]> =>
  db.all(statement(row)`
    select position::text as position, event_id as id, type, seller_id, object_id, object_version,
           created_at, data, correlation, sequence
      from (${completeEventsOf(part`select * from v_platform_event where position > ${after} order by position limit ${limit}`)}) e
     order by e.position`);
