import type { Change } from '../plan/changes.ts';
import type { RowOutcome } from '../plan/row-outcome.ts';
import type { RowMessage } from '../row.ts';

/** What a run did with one record of its file. */
export interface Evidence {
  readonly row_number: number;
  readonly line_start: number;
  readonly line_end: number;
  readonly seller_sku: string | null;
  readonly product_id: string | null;
  readonly outcome: RowOutcome;
  readonly raw_sha256: Buffer;
  readonly resolution: unknown;
  readonly changes: readonly Change[];
  readonly messages: readonly RowMessage[];
  /** `null` stands for a cell that the row did not have. */
  readonly cells: readonly (string | null)[] | null;
  /** Version of the product that the changes start from; 0 for a new one. */
  readonly product_version: number | null;
  /** Row of which a merged row became a part. */
  readonly part_of: number | null;
}
