/**
 * The grammar of delimited text as one table: state × kind of byte → action. It is RFC 4180 with LF, CRLF or CR as line
 * ends, with these additions:
 * - A quote opens a quoted cell only if it is the first byte of the cell. Elsewhere in an unquoted cell it is data.
 * - Inside a quoted cell two quotes are one quote. A single quote closes the cell if a delimiter, a line break or the
 *   end of the file follows; blanks may be between them.
 * - If another byte follows a single quote inside a quoted cell, the quote is data and the record is `quote_misplaced`.
 *
 * So every sequence of bytes has exactly one meaning, and text inside an open quote is never read as rows of the file.
 */
export const OTHER = 0;
const DELIMITER = 1;
export const QUOTE = 2;
const LINE_FEED = 3;
const CARRIAGE_RETURN = 4;
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

/** The kind of each byte value. Without quoting, `"` is an ordinary byte. */
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
