/** Cuts the rows of a run into batches: enough for few round trips, few enough for the memory and for frequent progress. */
import type { FeedRow } from '../row.ts';

const BATCH_ROWS = 1_000;
/** PostgreSQL is idle until the first batch is planned, so the first batch is small. */
const FIRST_BATCH_ROWS = 250;
/** Characters of one batch: each variant of a product may have all its texts, so a short file may be long products. */
export const BATCH_CHARS = 8 * 1024 * 1024;

/** How many characters the long fields of a row have. */
export function charsOf({ patch }: FeedRow): number {
  let sum = patch?.description?.length ?? 0;
  for (const { url } of patch?.images ?? []) sum += url.length;
  for (const value of Object.values(patch?.attributes ?? {})) sum += value?.length ?? 0;
  return sum;
}

export async function* batchesOf(source: AsyncIterable<readonly FeedRow[]>): AsyncGenerator<FeedRow[]> {
  let batch: FeedRow[] = [];
  let chars = 0;
  let size = FIRST_BATCH_ROWS;
  for await (const rows of source) {
    for (const row of rows) {
      batch.push(row);
      chars += charsOf(row);
      if (batch.length < size && chars < BATCH_CHARS) continue;
      yield batch;
      [batch, chars, size] = [[], 0, BATCH_ROWS];
    }
  }
  if (batch.length > 0) yield batch;
}
