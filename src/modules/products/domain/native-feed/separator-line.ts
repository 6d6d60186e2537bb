/** Longer than `sep=` and its delimiter in every reading. */
const CELLS_MAX = 2;
const TOLD = /^sep=.?$/i;

/**
 * Whether a first record is the line `sep=;` by which a spreadsheet learns the delimiter of a file, and which it
 * writes into files that it saves. Under that delimiter the line is two cells, under another one it is one.
 */
export function isSeparatorLine(cells: readonly string[]): boolean {
  const [first = '', rest = ''] = cells;
  return cells.length <= CELLS_MAX && rest.trim() === '' && TOLD.test(first.trim());
}
