import type { FeedRow, WrittenStoreRow } from '../../products/index.ts';
import type { Change } from '../store/deliveries.ts';

/** A row that no file has. */
export const rowOf = (patch: FeedRow['patch']): FeedRow => ({
  ...{ row_number: 1, line_start: 1, line_end: 1, raw_sha256: Buffer.alloc(0), patch, messages: [] },
});

/** What every write of a product changes, or what follows from the other fields. */
const FOLLOWING: ReadonlySet<string> = new Set([
  'product_id',
  'curation_state',
  'curation_reasons',
  'approved',
]);

const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);

/** What a row changed in its product, as the decision log shows it. */
export function changesOf({ plan, after }: WrittenStoreRow): Change[] {
  if (plan.next === null || after === null) return [];
  const { product_id } = after;
  return plan.changes
    .filter(({ field }) => !FOLLOWING.has(field))
    .map(({ field, before, after: now }) => ({
      product_id,
      field,
      before: textOf(before),
      after: textOf(now),
    }));
}
