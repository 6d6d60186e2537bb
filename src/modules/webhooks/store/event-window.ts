import { bigint, integer, nullable } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { typePatterns } from '../../../platform/outbox/read-events.ts';

/** Numbers of events that one statement searches. It takes some tens of milliseconds, however long the history is. */
export const WINDOW_SIZE = 50_000;

/**
 * Searches a window of numbers after a given one for a seller's events of some types. The window begins at the first
 * event that is still kept, because there may be many numbers without one before it.
 *
 * @returns the number of events in the window, at most the limit, and its last number; null when no event follows
 */
export async function searchWindow(
  { db, seller_id }: SellerDb,
  after: bigint,
  types: readonly string[],
  limit: number,
) {
  const window = await db.one(statement({ found: integer, up_to: nullable(bigint) })`
    with first as (
      select sequence
        from v_platform_event
       where seller_id = ${seller_id}
         and sequence > 0
         and sequence > ${after}
       order by sequence
       limit 1),
    hit as (
      select
        from v_platform_event
       where seller_id = ${seller_id}
         and sequence > 0
         and sequence > ${after}
         and sequence < (select sequence from first) + ${WINDOW_SIZE}::bigint
         and type like any(${typePatterns(types)})
       order by sequence
       limit ${limit})
    select (select count(*) from hit)::int as found,
           (select sequence from first) + ${WINDOW_SIZE}::bigint - 1 as up_to`);
  return window ?? { found: 0, up_to: null };
}
