import { keepObjects } from '../../../platform/outbox/fill-events.ts';
import type { Services } from '../../../platform/services.ts';
import type { QueuedRow } from '../store/queue.ts';

/** Events of bulk writes come without their object: it is read now, and kept for the attempts to come. */
export async function withObjects(
  { withSystem, readObjects }: Services,
  sellerId: string,
  rows: readonly QueuedRow[],
): Promise<readonly QueuedRow[]> {
  const empty = rows.filter(({ data, test, expired }) => data === null && !test && !expired);
  if (empty.length === 0) return rows;
  const texts = await withSystem('webhooks', 'write', async (db) => {
    const found = await readObjects(db, empty);
    const made = empty.map((row) => ({
      row,
      sequence: row.sequence,
      data: JSON.stringify({ object: found.get(row)?.object ?? null }),
      version: found.get(row)?.version ?? row.object_version,
    }));
    await keepObjects(db, sellerId, made);
    return new Map(made.map(({ row, data, version }) => [row, { data, object_version: version }] as const));
  });
  return rows.map((row) => ({ ...row, ...texts.get(row) }));
}
