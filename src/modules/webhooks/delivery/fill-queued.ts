import type { Services } from '../../../platform/services.ts';
import type { QueuedRow } from '../store/queue.ts';

/** Deliveries with what their events show, also of events that were written without it. */
export async function fillQueued(
  { withSystem, fillEvents }: Services,
  rows: readonly QueuedRow[],
): Promise<readonly QueuedRow[]> {
  const bare = rows.filter(({ data, test, expired }) => data === null && !test && !expired);
  if (bare.length === 0) return rows;
  const shown = await withSystem('webhooks', 'write', (db) => fillEvents.keeping(db, bare));
  return rows.map((row) => ({ ...row, ...shown.get(row) }));
}
