/**
 * Splits settlements into files that are small enough for accounting programs. Source: docs/design/money.md#files.
 */
import type { FilePart } from '../../../kernel/csv-file.ts';
import { STATEMENT_LINES_MAX } from '../schemas/summary-columns.ts';
import { clearingRows } from '../schemas/summary-rows.ts';
import type { StatementLayout } from './export-settlements.ts';
import type { Found } from './read-settlements.ts';

/** Each part has whole settlements, so the rows of each part sum to zero. */
function partsOf(chosen: readonly Found[]): readonly (readonly Found[])[] {
  const parts: Found[][] = [[]];
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
 * Chooses the settlements of one file. The layouts of lines and journals have one part with all settlements; the
 * layouts of bank statements can have several. The first periods come first, so a full part never changes.
 *
 * @param number counted from 1
 * @returns undefined when there is no such part
 */
export function takePart(
  chosen: readonly Found[],
  layout: StatementLayout,
  number: number,
): { readonly chosen: readonly Found[]; readonly part?: FilePart } | undefined {
  if (layout === 'detail' || layout === 'journal') return number === 1 ? { chosen } : undefined;
  const parts = partsOf(chosen);
  const taken = parts[number - 1];
  return taken && { chosen: taken, part: { number, of: parts.length } };
}
