/** A file before its first row is read. */
export interface CsvFile {
  /** Rows beside the header. */
  readonly rows: number;
  /** The text piece by piece, the header first. */
  readonly text: () => AsyncGenerator<string>;
}
