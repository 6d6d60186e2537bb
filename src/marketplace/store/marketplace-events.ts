/** The events that the intake has taken. An event with the same source and id is not applied again. */

import type { Db } from '../../kernel/context.ts';
import { bytes, type RowOf, textOf } from '../../platform/db/columns.ts';
import { lockName } from '../../platform/db/lock-name.ts';
import { command, statement } from '../../platform/db/statement.ts';
import type { Envelope } from '../envelope.ts';

type Status = 'applied' | 'stale';
const taken = { digest: bytes, status: textOf<Status>() };

/**
 * Locks the id until the end of the transaction. Of two simultaneous events with the same id, the second waits and then
 * finds the first.
 *
 * @returns the event that was taken with this id before
 */
export async function lockEventId(
  db: Db,
  { source, id }: Pick<Envelope, 'source' | 'id'>,
): Promise<RowOf<typeof taken> | undefined> {
  const lock = `marketplace-event:${source}\n${id}`;
  const [, earlier] = await Promise.all([
    lockName(db, lock),
    db.one(statement(taken)`
      select digest, status
        from marketplace_event
       where source = ${source} and event_id = ${id}`),
  ]);
  return earlier;
}

/** Stores that an event was applied, or was too old to apply. From then on its id is used. */
export async function recordEvent(
  db: Db,
  { source, id, type, subject, seller_id, digest }: Envelope,
  { status, occurredAt, recordedAt }: { status: Status; occurredAt: string; recordedAt: string },
): Promise<void> {
  db.later(command`
    insert into marketplace_event
           (source, event_id, type, subject, seller_id, digest, status, occurred_at, recorded_at)
    values (${source}, ${id}, ${type}, ${subject}, ${seller_id}, ${digest}, ${status}, ${occurredAt}, ${recordedAt})`);
}
