const CELLS_MAX = 2;
const SEPARATOR_LINE = /^sep=.?$/i;

/**
 * Whether a first record is the line `sep=;`, with which spreadsheets state the delimiter of a file. Under that
 * delimiter the line has two cells, under another one it has one.
 */
export function isSeparatorLine(cells: readonly string[]): boolean {
  const [first = '', rest = ''] = cells;
  return cells.length <= CELLS_MAX && rest.trim() === '' && SEPARATOR_LINE.test(first.trim());
}
