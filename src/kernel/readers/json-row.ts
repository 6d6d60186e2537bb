import { isUtf8 } from 'node:buffer';
import type { RecordLimits } from './records.ts';
import { parseJsonExact } from './text/parse-json-exact.ts';

export interface JsonLimits extends RecordLimits {
  /** The deepest nesting of a row. The row itself is level 1. */
  readonly max_depth: number;
}

type JsonProblemCode =
  | 'row_too_long'
  | 'cell_too_long'
  | 'too_many_columns'
  | 'encoding_invalid'
  | 'nested_too_deep'
  | 'row_not_object'
  | 'json_invalid';

/** One row of a JSON or NDJSON feed. */
export interface JsonRow {
  /** From 1. */
  readonly row_number: number;
  /** First and last physical line, from 1. */
  readonly line_start: number;
  readonly line_end: number;
  /** SHA-256 of the value's bytes in the file. */
  readonly raw_sha256: Buffer;
  /** The parsed object; numbers as `parseJsonExact` gives them; `null` when there is a problem. */
  readonly value: unknown;
  /** The text of a row with a problem, if it was kept. Invalid UTF-8 becomes U+FFFD. */
  readonly text?: string;
  readonly problem?: { readonly code: JsonProblemCode; readonly message: string };
}

/** The place of a row and what the scanner has found. */
interface JsonRowFrame {
  readonly row_number: number;
  readonly line_start: number;
  readonly line_end: number;
  readonly raw_sha256: Buffer;
  /** The length in bytes, even if not all bytes of the row were kept. */
  readonly length: number;
  readonly depth: number;
}

/**
 * Makes a row from its bytes. If `frame.length` is over the limit, the bytes may be cut.
 *
 * @throws SyntaxError if the bytes are not JSON. In an array the whole file is then invalid, in NDJSON only the line.
 */
export function jsonRow(frame: JsonRowFrame, bytes: Buffer, limits: JsonLimits): JsonRow {
  const { row_number, line_start, line_end, raw_sha256 } = frame;
  const row = { row_number, line_start, line_end, raw_sha256 };
  if (frame.length > limits.max_row_bytes) {
    const message = `The row has ${frame.length} bytes; at most ${limits.max_row_bytes} are allowed.`;
    return { ...row, value: null, problem: { code: 'row_too_long', message } };
  }
  const text = bytes.toString('utf8');
  const refuse = (code: JsonProblemCode, message: string): JsonRow => ({
    ...row,
    value: null,
    text,
    problem: { code, message },
  });
  if (frame.depth > limits.max_depth) {
    return refuse(
      'nested_too_deep',
      `The row nests ${frame.depth} levels; at most ${limits.max_depth} are allowed.`,
    );
  }
  if (!isUtf8(bytes)) return refuse('encoding_invalid', 'The row holds bytes that are not UTF-8.');
  const value = parseJsonExact(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse('row_not_object', 'A row must be a JSON object.');
  }
  if (Object.keys(value).length > limits.max_columns) {
    return refuse('too_many_columns', `The row has more than ${limits.max_columns} columns.`);
  }
  const long = bytes.length > limits.max_cell_bytes ? longColumn(value, limits.max_cell_bytes) : undefined;
  if (long !== undefined) {
    return refuse('cell_too_long', `"${long}" holds more than ${limits.max_cell_bytes} bytes.`);
  }
  return { ...row, value };
}

/** The first 80 characters of the name of the first column that has a string of more than `max` bytes. */
function longColumn(row: object, max: number): string | undefined {
  for (const [name, value] of Object.entries(row)) {
    if (Buffer.byteLength(name) > max || holdsLongString(value, max)) return name.slice(0, 80);
  }
  return undefined;
}

function holdsLongString(value: unknown, max: number): boolean {
  if (typeof value === 'string') return Buffer.byteLength(value) > max;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([key, inner]) => Buffer.byteLength(key) > max || holdsLongString(inner, max),
  );
}
