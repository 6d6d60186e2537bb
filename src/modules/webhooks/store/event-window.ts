import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import { typePatterns } from '../../../platform/outbox/read-events.ts';

/** Numbers that one statement looks at for types: some tens of milliseconds, however long the history is. */
export const NUMBERS_LOOKED_AT = 50_000;

export interface EventWindow {
  /** Events of the types in it, no more than were asked for. */
  readonly found: number;
  /** Its last number; null when no event lies behind the one that it begins after. */
  readonly up_to: bigint | null;
}

// From the first event that is still kept: before it there may be many numbers without one.
const WINDOW =
  'with first as (select sequence from v_platform_event where sequence > 0 and sequence > $1 order by sequence limit 1), ' +
  'hit as (select from v_platform_event where sequence > 0 and sequence > $1 and sequence < (select sequence from first) + $4::bigint ' +
  'and type like any($2) order by sequence limit $3) ' +
  'select (select count(*) from hit)::int as found, (select sequence from first) + $4::bigint - 1 as up_to';

/** Looks at the numbers behind one for events of types of the scope's seller. */
export async function lookBehind(
  db: Db,
  after: bigint,
  types: readonly string[],
  limit: number,
): Promise<EventWindow> {
  const window = await db.one<EventWindow>(
    sql(WINDOW, [after, typePatterns(types), limit, NUMBERS_LOOKED_AT]),
  );
  return window ?? { found: 0, up_to: null };
}
