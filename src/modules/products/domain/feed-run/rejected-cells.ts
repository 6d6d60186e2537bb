/**
 * The cells of rejected rows, for the file that the seller corrects. A row is completed from other records: the pictures
 * of its product, its parent listing. Those of a long product times its rows would fill the memory and the database, so
 * a run adds at most {@link ADDED_MAX}; the rows behind say nothing about other records.
 */
import type { FeedRow } from '../row.ts';
import type { Evidence } from './evidence.ts';

/** Bytes: the usual pictures and texts of some ten thousand rows. */
export const ADDED_MAX = 32 * 1024 * 1024;

const bytesOf = (cells: readonly (string | null)[]): number =>
  cells.reduce((sum, cell) => sum + Buffer.byteLength(cell ?? ''), 0);

/** @returns the cells of each rejected row of one run. A feed would refuse longer cells and rows when they come back. */
export function rejectedCells(limits: {
  readonly MAX_CELL_BYTES: number;
  readonly MAX_ROW_BYTES: number;
}): (row: FeedRow) => Evidence['cells'] {
  let left = ADDED_MAX;
  return ({ cells = null, standalone }) => {
    if (standalone === undefined) return cells;
    const whole = standalone(Math.min(limits.MAX_CELL_BYTES, left));
    const size = bytesOf(whole);
    const added = size - bytesOf(cells ?? []);
    if (added > left || size > limits.MAX_ROW_BYTES) return standalone(0);
    left -= Math.max(0, added);
    return whole;
  };
}
