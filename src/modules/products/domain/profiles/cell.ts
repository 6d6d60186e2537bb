/**
 * Cells as people and spreadsheets write them: blanks, NBSP and zero-width characters are trimmed at the ends only;
 * a text that looks like a formula is data. Source: docs/design/feeds-and-imports.md#import-profiles.
 */

/** Blanks beyond ASCII, NBSP, zero-width characters, word joiner and byte order mark, as ranges. */
const EDGE_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x180e, 0x180e],
  [0x2000, 0x200d],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x2060],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

function isEdgeBlank(code: number): boolean {
  if (code > 0x20 && code < 0x7f) return false;
  return EDGE_RANGES.some(([from, to]) => code >= from && code <= to);
}

/**
 * Trims blanks and invisible characters at both ends; the inside stays as written. A loop, because a regular
 * expression that looks for blanks before the end takes quadratic time on a cell full of them.
 */
export function cleanCell(cell: string | undefined): string {
  if (cell === undefined) return '';
  let from = 0;
  let to = cell.length;
  while (from < to && isEdgeBlank(cell.charCodeAt(from))) from += 1;
  while (to > from && isEdgeBlank(cell.charCodeAt(to - 1))) to -= 1;
  return from === 0 && to === cell.length ? cell : cell.slice(from, to);
}

export function isBlank(cell: string | undefined): boolean {
  return cleanCell(cell) === '';
}

/** Strips one leading apostrophe, the text mark of spreadsheets. */
export function stripTextMark(cell: string): string {
  return cell.startsWith("'") ? cell.slice(1) : cell;
}

/** A number that a spreadsheet has rounded (`1.6986E+09`); its last digits are lost. */
export function isRoundedNumber(text: string): boolean {
  return /^\d(?:[.,]\d+)?e\+?\d+$/i.test(text);
}

/** The form in which header cells are compared; templates mark required columns with a leading `*`. */
export function normaliseHeader(cell: string): string {
  const folded = cleanCell(cell.normalize('NFKC')).toLowerCase().replace(/\s+/g, ' ');
  return folded.startsWith('*') ? cleanCell(folded.slice(1)) : folded;
}

/** Auction files contain information lines at any place. */
export function isInfoLine(cells: readonly string[]): boolean {
  return /^#?info\b/i.test(cleanCell(cells[0]));
}

export function isBlankRecord(cells: readonly string[]): boolean {
  for (const cell of cells) if (!isBlank(cell)) return false;
  return true;
}

/** The entry of a table; `constructor` and other names that every object has are no entries. */
export function lookup<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
