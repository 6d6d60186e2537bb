import { createHash, type Hash } from 'node:crypto';
import { type JsonLimits, type JsonRow, jsonRow } from './json-row.ts';
import type { ByteSource } from './records.ts';
import { Batch, readBatches } from './text/batch.ts';
import { ByteWindow } from './text/byte-window.ts';
import { JsonValueCutter } from './text/json-value-cutter.ts';
import { Sha256Slab } from './text/sha256-slab.ts';
import { withoutBom } from './text/without-bom.ts';

const LF = 0x0a;
const BLANK = /^[ \t\r]*$/;
/** A longer line is not checked for being blank. */
const BLANK_BYTES = 1024;

/**
 * Reads newline-delimited JSON, one row a line, in batches of at most 1,000. It streams: the time is linear, and the row
 * limit bounds the memory. Blank lines are skipped. A line that is not JSON is a row with the problem `json_invalid`, and
 * the other lines are still read. The file must be UTF-8; a byte order mark is skipped.
 */
export const readNdjsonRows = (source: ByteSource, limits: JsonLimits): AsyncGenerator<JsonRow[]> =>
  readBatches(withoutBom(source), new LineCutter(limits));

class LineCutter {
  readonly batch = new Batch<JsonRow>();
  readonly #limits: JsonLimits;
  readonly #window = new ByteWindow(128 * 1024);
  readonly #digests = new Sha256Slab();
  readonly #depths = new JsonValueCutter();
  #searched = 0;
  #dropped = 0;
  #hash: Hash | undefined;
  #line = 0;
  #rows = 0;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  push(piece: Buffer): void {
    this.#searched -= this.#window.append(piece);
  }

  scan(): boolean {
    const window = this.#window;
    const view = window.bytes.subarray(0, window.end);
    while (!this.batch.full) {
      const stop = view.indexOf(LF, Math.max(this.#searched, window.start));
      if (stop < 0) {
        this.#searched = window.end;
        this.#dropOverLimit();
        return false;
      }
      this.#endLine(view.subarray(window.start, stop));
      window.start = stop + 1;
      this.#searched = window.start;
    }
    return true;
  }

  finish(): void {
    this.#endLine(this.#window.bytes.subarray(this.#window.start, this.#window.end));
  }

  #dropOverLimit(): void {
    const window = this.#window;
    if (this.#dropped + window.length <= this.#limits.max_row_bytes + 1) return;
    // The last byte may be the CR of a CRLF, which is not part of the row. It is kept until more bytes arrive.
    const to = window.end - 1;
    this.#hash ??= createHash('sha256');
    this.#hash.update(window.bytes.subarray(window.start, to));
    this.#dropped += to - window.start;
    window.start = to;
  }

  #endLine(line: Buffer): void {
    this.#line++;
    const bytes = line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
    const length = this.#dropped + bytes.length;
    if (this.#dropped === 0 && length <= BLANK_BYTES && BLANK.test(bytes.toString('latin1'))) return;
    const digest = this.#hash === undefined ? this.#digests.digest(bytes) : this.#hash.update(bytes).digest();
    this.#hash = undefined;
    this.#dropped = 0;
    this.batch.add(this.#toRow(bytes, length, digest), bytes.length);
  }

  #toRow(bytes: Buffer, length: number, raw_sha256: Buffer): JsonRow {
    const place = { row_number: ++this.#rows, line_start: this.#line, line_end: this.#line, raw_sha256 };
    this.#depths.begin(0x5b);
    if (length <= this.#limits.max_row_bytes) this.#depths.find(bytes, 0, bytes.length);
    try {
      return jsonRow({ ...place, length, depth: this.#depths.depth }, bytes, this.#limits);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const message = 'The line is not JSON; each line must be one object.';
      return {
        ...place,
        value: null,
        text: bytes.toString('utf8'),
        problem: { code: 'json_invalid', message },
      };
    }
  }
}
