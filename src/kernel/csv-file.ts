/** One file of a table that has too many rows for one file. */
export interface FilePart {
  /** Counted from 1. */
  readonly number: number;
  /** The number of files. */
  readonly of: number;
}

/** A file whose rows are read while it is sent. */
export interface CsvFile {
  /** The number of rows without the header. */
  readonly rows: number;
  /** Which part this is, if the layout is split into several files. */
  readonly part?: FilePart;
  /** The text in pieces, the header first. */
  readonly text: () => AsyncGenerator<string>;
}
