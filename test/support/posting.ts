import type { CursorDb } from '../../src/kernel/context.ts';
import type { Ids } from '../../src/kernel/ids.ts';

/** What posting needs, for tests without a service. */
export const posting = (db: CursorDb, seller_id: string, ids: Ids, now: () => number) => ({
  ...{ db, seller_id, ids, now },
  at: () => new Date(now()).toISOString(),
});
