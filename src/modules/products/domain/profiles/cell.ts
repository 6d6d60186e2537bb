/**
 * Cells as people and spreadsheets leave them. Source: import-formats.md section 5, steps 2 and "Common row
 * rules": blanks, NBSP and zero-width characters are trimmed at the ends only; formula-looking text is data.
 */

/** Blanks, NBSP, zero-width characters, word joiner and byte order mark. */
const EDGE_BLANKS =
  /^[\s\u00a0\u180e\u200b-\u200d\u2060\ufeff]+|[\s\u00a0\u180e\u200b-\u200d\u2060\ufeff]+$/gu;

/** True for the characters that {@link EDGE_BLANKS} trims and that are not plain ASCII text. */
function mayNeedTrim(code: number): boolean {
  return code <= 0x20 || code >= 0x7f;
}

/** Trims blanks and invisible characters at both ends; the inside stays as written. */
export function cleanCell(cell: string | undefined): string {
  if (cell === undefined || cell === '') return '';
  if (!mayNeedTrim(cell.charCodeAt(0)) && !mayNeedTrim(cell.charCodeAt(cell.length - 1))) return cell;
  return cell.replace(EDGE_BLANKS, '');
}

/** True when the cell holds nothing to read. */
export function isBlank(cell: string | undefined): boolean {
  return cleanCell(cell) === '';
}

/** Strips exactly one leading apostrophe, the text mark of spreadsheets (import-formats.md, finding 4). */
export function stripTextMark(cell: string): string {
  return cell.startsWith("'") ? cell.slice(1) : cell;
}

/**
 * The form of a header cell that is compared: NFKC, trimmed, lower case, runs of blanks as one, without the
 * leading `*` that marks a required column.
 */
export function normaliseHeader(cell: string): string {
  const folded = cleanCell(cell.normalize('NFKC')).toLowerCase().replace(/\s+/g, ' ');
  return folded.startsWith('*') ? cleanCell(folded.slice(1)) : folded;
}

/** True for the information lines of auction files, wherever they stand (import-formats.md section 3). */
export function isInfoLine(cells: readonly string[]): boolean {
  return /^#?info\b/i.test(cleanCell(cells[0]));
}

/** True when no cell holds anything. */
export function isBlankRecord(cells: readonly string[]): boolean {
  for (const cell of cells) if (!isBlank(cell)) return false;
  return true;
}
