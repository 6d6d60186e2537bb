const CELLS_MAX = 2;
const SEPARATOR_LINE = /^sep=.?$/i;

/**
 * Whether the first record is a line such as `sep=;`, which Excel writes to name the delimiter of the file. The line
 * has two cells when the file is split at that delimiter, and one cell when it is split at another.
 */
export function isSeparatorLine(cells: readonly string[]): boolean {
  const [first = '', rest = ''] = cells;
  return cells.length <= CELLS_MAX && rest.trim() === '' && SEPARATOR_LINE.test(first.trim());
}
