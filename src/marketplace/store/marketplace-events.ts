/** Which events of the marketplace have been taken: their source and id make the intake idempotent. */
import type { Db } from '../../kernel/context.ts';
import { sql } from '../../platform/db/sql.ts';
import type { Envelope } from '../envelope.ts';

export interface TakenEvent {
  readonly digest: Buffer;
  readonly status: 'applied' | 'stale';
}

/**
 * Holds the id until the end of the transaction, so that of two simultaneous events with one id the second
 * waits and then sees the first; returns what an earlier one left.
 */
export async function claimEventId(
  db: Db,
  { source, id }: Pick<Envelope, 'source' | 'id'>,
): Promise<TakenEvent | undefined> {
  const [, taken] = await Promise.all([
    db.run(
      sql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`marketplace-event:${source}\n${id}`]),
    ),
    db.one<TakenEvent>(
      sql('select digest, status from marketplace_event where source = $1 and event_id = $2', [source, id]),
    ),
  ]);
  return taken;
}

export interface RecordedEvent {
  readonly sellerId: string | null;
  readonly status: 'applied' | 'stale';
  /** Instants, RFC 3339. */
  readonly occurredAt: string;
  readonly recordedAt: string;
}

/** Consumes the id of an event that was applied or was too old to be. */
export async function recordEvent(db: Db, event: Envelope, record: RecordedEvent): Promise<void> {
  await db.run(
    sql(
      'insert into marketplace_event (source, event_id, type, subject, seller_id, digest, status, occurred_at, recorded_at) ' +
        'values ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
      [
        event.source,
        event.id,
        event.type,
        event.subject,
        record.sellerId,
        event.digest,
        record.status,
        record.occurredAt,
        record.recordedAt,
      ],
    ),
  );
}
