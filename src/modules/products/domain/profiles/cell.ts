/**
 * Reads single cells, which people and spreadsheets write in many ways. A text that looks like a formula is data.
 * Source: docs/design/feeds-and-imports.md#import-profiles.
 */
import { trimEnds } from '../fields/clean-text.ts';

/** Blanks of every kind, NBSP, zero-width characters, the C1 line break and the byte order mark. */
const BLANK = /[\s\u0085\u180e\u200b-\u200d\u2060\ufeff]/;

/** Trims blanks and invisible characters at both ends of a cell. */
export function cleanCell(cell: string | undefined): string {
  return trimEnds(cell ?? '', BLANK);
}

export function isBlank(cell: string | undefined): boolean {
  return cleanCell(cell) === '';
}

/** Removes one leading apostrophe, with which a spreadsheet marks a cell as text. */
export function stripTextMark(cell: string): string {
  return cell.startsWith("'") ? cell.slice(1) : cell;
}

/** Whether a spreadsheet has rounded a number (`1.6986E+09`), so that its last digits are lost. */
export function isRoundedNumber(text: string): boolean {
  return /^\d(?:[.,]\d+)?e\+?\d+$/i.test(text);
}

/** Folds a header cell for comparison. Templates mark required columns with a leading `*`, which is removed. */
export function normaliseHeader(cell: string): string {
  const folded = cleanCell(cell.normalize('NFKC')).toLowerCase().replace(/\s+/g, ' ');
  return folded.startsWith('*') ? cleanCell(folded.slice(1)) : folded;
}

/** Whether a record is an information line. An auction file can have such lines anywhere. */
export function isInfoLine(cells: readonly string[]): boolean {
  return /^#?info\b/i.test(cleanCell(cells[0]));
}

export function isBlankRecord(cells: readonly string[]): boolean {
  return cells.every(isBlank);
}

/** The entry of a table. Unlike `table[word]` it does not find `constructor` and other inherited names. */
export function lookup<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
