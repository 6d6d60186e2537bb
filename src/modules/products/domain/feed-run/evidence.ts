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
  /** A `null` inside stands for a cell that the row does not have. */
  readonly cells: readonly (string | null)[] | null;
  /** The version of the product before the changes; 0 for a new product. */
  readonly product_version: number | null;
  /** For a merged row: the number of the row that it continues. */
  readonly part_of: number | null;
}
