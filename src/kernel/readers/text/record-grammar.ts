/**
 * The grammar of delimited text as one table: state × kind of byte → action.
 * RFC 4180 with LF, CRLF or CR line ends, read so that every sequence of bytes has exactly one meaning:
 * - a quote opens a quoted cell only as the cell's first byte; elsewhere in an unquoted cell it is data;
 * - inside a quoted cell two quotes are one quote, and a quote closes the cell when a delimiter, a line break
 *   or the end of the file follows;
 * - a quote inside a quoted cell before any other byte is data too, and the record is `quote_misplaced`; blanks between
 *   a closing quote and the delimiter are accepted.
 *   Content of an opened quote is therefore never read as rows of the file.
 */
export const OTHER = 0;
export const DELIMITER = 1;
export const QUOTE = 2;
export const LINE_FEED = 3;
export const CARRIAGE_RETURN = 4;
export const BLANK = 5;

/** States, spaced by eight so that `state | kind` is an index into {@link ACTIONS}. */
export const CELL_START = 0;
export const UNQUOTED = 8;
export const QUOTED = 16;
export const QUOTE_IN_QUOTED = 24;
export const BLANK_AFTER_QUOTE = 32;

export const STAY = 0;
export const BEGIN_UNQUOTED = 1;
export const OPEN_QUOTE = 2;
export const END_CELL = 3;
export const END_RECORD = 4;
export const MAYBE_CLOSE = 5;
export const BREAK_LINE = 6;
export const ESCAPED_QUOTE = 7;
export const MISPLACED_QUOTE = 8;
export const BLANK_BEHIND = 9;
export const MISPLACED_MAYBE_CLOSE = 10;

/** One row per state; columns: other, delimiter, quote, line feed, carriage return, blank, unused, unused. */
export const ACTIONS = Uint8Array.from(
  [
    [BEGIN_UNQUOTED, END_CELL, OPEN_QUOTE, END_RECORD, END_RECORD, BEGIN_UNQUOTED, STAY, STAY],
    [STAY, END_CELL, STAY, END_RECORD, END_RECORD, STAY, STAY, STAY],
    [STAY, STAY, MAYBE_CLOSE, BREAK_LINE, BREAK_LINE, STAY, STAY, STAY],
    [MISPLACED_QUOTE, END_CELL, ESCAPED_QUOTE, END_RECORD, END_RECORD, BLANK_BEHIND, STAY, STAY],
    [MISPLACED_QUOTE, END_CELL, MISPLACED_MAYBE_CLOSE, END_RECORD, END_RECORD, STAY, STAY, STAY],
  ].flat(),
);

/** Kind of each byte value. Without quoting `"` is an ordinary byte. */
export function byteKinds(delimiter: string, quoting: boolean): Uint8Array {
  const kinds = new Uint8Array(256);
  kinds[0x20] = BLANK;
  kinds[0x09] = BLANK;
  kinds[0x0a] = LINE_FEED;
  kinds[0x0d] = CARRIAGE_RETURN;
  if (quoting) kinds[0x22] = QUOTE;
  kinds[delimiter.charCodeAt(0)] = DELIMITER;
  return kinds;
}
