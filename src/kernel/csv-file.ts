/** One of the files that too many rows for one become. */
export interface FilePart {
  /** From 1. */
  readonly number: number;
  /** How many there are. */
  readonly of: number;
}

/** A file before its first row is read. */
export interface CsvFile {
  /** Rows beside the header. */
  readonly rows: number;
  /** Of layouts that are split: which part it is. */
  readonly part?: FilePart;
  /** The text piece by piece, the header first. */
  readonly text: () => AsyncGenerator<string>;
}
