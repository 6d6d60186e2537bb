/**
 * A record of a text table (CSV, TSV): its cells and its place in the file. Readers yield records in batches, so that
 * a large file needs few turns of the event loop.
 */
export type RecordProblemCode =
  | 'row_too_long'
  | 'cell_too_long'
  | 'too_many_columns'
  | 'quote_unclosed'
  | 'quote_misplaced'
  | 'encoding_invalid';

export interface RecordProblem {
  readonly code: RecordProblemCode;
  readonly message: string;
}

export interface TextRecord {
  readonly cells: readonly string[];
  /** First and last physical line, from 1. */
  readonly line_start: number;
  readonly line_end: number;
  /** SHA-256 of the record's bytes in the file, without its line end. */
  readonly raw_sha256: Buffer;
  /** Why the cells cannot be used. They are cut to the limits. */
  readonly problem?: RecordProblem;
}

/** Limits in bytes of the file. For UTF-16 they are bytes of the same text in UTF-8. */
export interface RecordLimits {
  /** A record without its line end. */
  readonly max_row_bytes: number;
  /** A cell without its enclosing quotes. A doubled quote counts as two bytes. */
  readonly max_cell_bytes: number;
  readonly max_columns: number;
}

export type TextEncodingName = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** A file's bytes in order, in chunks of any size. */
export type ByteSource = AsyncIterable<Buffer> | Iterable<Buffer>;

export interface RecordFormat {
  readonly encoding: TextEncodingName;
  readonly delimiter: ',' | ';' | '\t' | '|';
  /**
   * False for dialects without quoting, where `"` is an ordinary character
   * (docs/design/feeds-and-imports.md#marketplace-files).
   */
  readonly quoting: boolean;
  readonly limits: RecordLimits;
}
