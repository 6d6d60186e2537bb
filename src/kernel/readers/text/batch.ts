/** Reads a file in batches of rows. */
import type { ByteSource } from '../records.ts';

/** A batch ends at the first of these limits, which bounds the memory for short and for long rows. */
const BATCH_ROWS = 1000;
const BATCH_BYTES = 1024 * 1024;
/** A batch can be yielded after each piece of this size. */
const PIECE_BYTES = 64 * 1024;

/** Collects rows until it is full. */
export class Batch<Row> {
  private rows: Row[] = [];
  private bytes = 0;

  get full(): boolean {
    return this.rows.length >= BATCH_ROWS || this.bytes >= BATCH_BYTES;
  }

  add(row: Row, bytes: number): void {
    this.rows.push(row);
    this.bytes += bytes;
  }

  /** Removes and returns the rows. */
  take(): Row[] {
    const { rows } = this;
    this.rows = [];
    this.bytes = 0;
    return rows;
  }
}

/** Finds the rows of a file piece by piece. */
interface Scanner<Row> {
  readonly batch: Batch<Row>;
  /** Appends the next bytes. */
  push(piece: Buffer): void;
  /** Continues to read. @returns true if the batch is full, false if more bytes are needed */
  scan(): boolean;
  /** Ends the last row at the end of the bytes. Called after `scan` has returned false for the last piece. */
  finish(): void;
}

export async function* readBatches<Row>(source: ByteSource, scanner: Scanner<Row>): AsyncGenerator<Row[]> {
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      scanner.push(chunk.subarray(at, at + PIECE_BYTES));
      while (scanner.scan()) yield scanner.batch.take();
    }
  }
  scanner.finish();
  const last = scanner.batch.take();
  if (last.length > 0) yield last;
}
