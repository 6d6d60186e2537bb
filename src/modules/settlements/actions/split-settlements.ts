/**
 * Splits settlements into files of as many rows as a program imports at once. Source: docs/design/money.md#files.
 */
import type { FilePart } from '../../../kernel/csv-file.ts';
import { STATEMENT_LINES_MAX } from '../schemas/summary-columns.ts';
import { clearingRows } from '../schemas/summary-rows.ts';
import type { Chosen, StatementLayout } from './export-settlements.ts';

/** Each part holds whole settlements, so that it sums to zero as the whole does. */
function partsOf(chosen: readonly Chosen[]): readonly (readonly Chosen[])[] {
  const parts: Chosen[][] = [[]];
  let rows = 0;
  for (const one of chosen) {
    const more = clearingRows(one.row).length;
    if (rows + more > STATEMENT_LINES_MAX) {
      parts.push([]);
      rows = 0;
    }
    parts.at(-1)?.push(one);
    rows += more;
  }
  return parts;
}

/**
 * The settlements of one file of a layout: all of them, or those of a part where the layout is that of bank
 * statements. The first periods come first, so that full parts never change.
 *
 * @param number from 1
 * @returns undefined when there is no such part
 */
export function takePart(
  chosen: readonly Chosen[],
  layout: StatementLayout,
  number: number,
): { readonly chosen: readonly Chosen[]; readonly part?: FilePart } | undefined {
  if (layout === 'detail' || layout === 'journal') return number === 1 ? { chosen } : undefined;
  const parts = partsOf(chosen);
  const taken = parts[number - 1];
  return taken && { chosen: taken, part: { number, of: parts.length } };
}
