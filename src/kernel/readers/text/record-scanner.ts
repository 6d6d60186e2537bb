import { isAscii } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import type { RecordFormat, RecordProblem, TextRecord } from '../records.ts';
import { Batch } from './batch.ts';
import { ByteFinder } from './byte-finder.ts';
import { ByteWindow } from './byte-window.ts';
import { OpenRecord } from './open-record.ts';
import { type RecordCodec, recordCodec } from './record-codec.ts';
import * as grammar from './record-grammar.ts';
import { Sha256Slab } from './sha256-slab.ts';

/**
 * The longest record that is split with `String.split`. V8 may keep the whole text in memory for one kept cell. Up to
 * this size that costs less than copying each cell.
 */
const SPLIT_BYTES = 1024;

const LF = 0x0a;
const CR = 0x0d;

/**
 * Splits bytes into records, by the grammar of `record-grammar.ts` and with the guarantees of `readRecords`. Used by
 * `readBatches`.
 */
export class RecordScanner {
  readonly batch = new Batch<TextRecord>();
  readonly #format: RecordFormat;
  readonly #codec: RecordCodec;
  readonly #kinds: Uint8Array;
  readonly #splitBytes: number;
  readonly #window = new ByteWindow(128 * 1024);
  readonly #lineFeeds = new ByteFinder(LF);
  readonly #carriageReturns = new ByteFinder(CR);
  readonly #quotes = new ByteFinder(0x22);
  readonly #digests = new Sha256Slab();
  readonly #open: OpenRecord;

  #view: Buffer = Buffer.alloc(0);
  #ascii = true;
  #line = 1;
  /** Whether the scanner is between records. Otherwise it reads `#open` byte by byte. */
  #between = true;
  /** Whether the last line ended in CR. An LF directly after it belongs to the same line end. */
  #skipLineFeed = false;
  /** Window index of the last CR inside a quoted cell, so that CRLF there counts as one line. */
  #lastReturn = -2;
  #pos = 0;
  /** How many bytes of the open record were dropped, because the record is over the row limit. */
  #dropped = 0;
  #hash: Hash | undefined;

  constructor(format: RecordFormat) {
    const { limits } = format;
    this.#format = format;
    this.#codec = recordCodec(format.encoding);
    this.#kinds = grammar.byteKinds(format.delimiter, format.quoting);
    this.#splitBytes = Math.min(SPLIT_BYTES, limits.max_cell_bytes, limits.max_row_bytes);
    this.#open = new OpenRecord(limits, this.#codec);
  }

  /** Appends the next bytes. In UTF-8 they may end inside a character. */
  push(piece: Buffer): void {
    this.#ascii = isAscii(piece) && (this.#ascii || this.#window.length === 0);
    const moved = this.#window.append(piece);
    if (moved > 0) {
      for (const finder of [this.#lineFeeds, this.#carriageReturns, this.#quotes]) finder.moved(moved);
      this.#pos -= moved;
      this.#lastReturn -= moved;
    }
    this.#view = this.#window.bytes.subarray(0, this.#window.end);
  }

  /** Continues to read. @returns true if a batch is full, false if more bytes are needed */
  scan(): boolean {
    while (!this.batch.full) {
      if (this.#between) {
        if (!this.#toRecordStart()) return false;
        const taken = this.#takePlainRecord();
        if (taken === 'more') return false;
        if (taken === 'yes') continue;
        this.#startOpenRecord();
      }
      if (!this.#readOpenRecord()) {
        this.#dropOverLimit();
        return false;
      }
    }
    return true;
  }

  /** Ends the last record at the end of the bytes. Call it after `scan` has returned false for the last piece. */
  finish(): void {
    if (this.#between) {
      if (!this.#toRecordStart()) return;
      this.#startOpenRecord();
      if (this.#readOpenRecord()) return;
    }
    this.#endRecord(this.#window.end);
  }

  /** Skips line ends, and so blank lines. @returns false if no byte of a record follows */
  #toRecordStart(): boolean {
    const window = this.#window;
    for (; window.start < window.end; window.start++) {
      const byte = window.bytes[window.start];
      if (byte === LF && this.#skipLineFeed) {
        this.#skipLineFeed = false;
        continue;
      }
      if (byte !== LF && byte !== CR) break;
      this.#line++;
      this.#skipLineFeed = byte === CR;
    }
    if (window.start === window.end) return false;
    this.#skipLineFeed = false;
    return true;
  }

  /** Splits a short record without a quote by native code. @returns `no` if the record must be read byte by byte */
  #takePlainRecord(): 'yes' | 'no' | 'more' {
    const { start, end } = this.#window;
    const view = this.#view;
    const quote = this.#format.quoting ? this.#quotes.find(view, start) : -1;
    const lineFeed = this.#lineFeeds.find(view, start);
    const carriageReturn = this.#carriageReturns.find(view, start);
    let stop = lineFeed < 0 || (carriageReturn >= 0 && carriageReturn < lineFeed) ? carriageReturn : lineFeed;
    const whole = stop >= 0;
    if (!whole) stop = end;
    if (stop - start > this.#splitBytes || (quote >= 0 && quote < stop)) return 'no';
    if (!whole) return 'more';
    if (!this.#ascii && !this.#codec.isValid(view, start, stop)) return 'no';
    const { max_columns } = this.#format.limits;
    const text = this.#ascii ? view.toString('latin1', start, stop) : this.#codec.decode(view, start, stop);
    const cells = text.split(this.#format.delimiter, max_columns + 1);
    if (cells.length > max_columns) return 'no';
    const line = this.#line++;
    this.#emit(cells, line, line, this.#digests.digest(this.#raw(start, stop)), stop - start, undefined);
    this.#window.start = stop + 1;
    this.#skipLineFeed = stop === carriageReturn;
    return 'yes';
  }

  #startOpenRecord(): void {
    this.#between = false;
    this.#pos = this.#window.start;
    this.#dropped = 0;
    this.#open.reset(this.#line);
  }

  /** Reads the open record byte by byte. @returns true at its end, false if more bytes are needed */
  #readOpenRecord(): boolean {
    const { bytes, end, start } = this.#window;
    const kinds = this.#kinds;
    const { ACTIONS: actions, STAY: stay } = grammar;
    const open = this.#open;
    const base = this.#dropped - start;
    let state = open.state;
    for (let i = this.#pos; i < end; i++) {
      const action = actions[state | (kinds[bytes[i] as number] as number)] as number;
      if (action === stay) continue;
      if (action === grammar.END_RECORD) {
        this.#endRecord(i);
        return true;
      }
      if (action === grammar.BREAK_LINE) this.#breakLine(i, bytes[i] === CR);
      else state = open.apply(action, base + i, this.#line);
    }
    this.#pos = end;
    return false;
  }

  #breakLine(at: number, isReturn: boolean): void {
    if (isReturn || this.#lastReturn !== at - 1) this.#line++;
    if (isReturn) this.#lastReturn = at;
  }

  /** Keeps the first cells of a record over the row limit, adds its bytes to the hash and drops them. */
  #dropOverLimit(): void {
    const window = this.#window;
    const { length } = window;
    if (length + this.#dropped <= this.#format.limits.max_row_bytes) return;
    this.#open.keepCells(window.bytes, window.start, this.#dropped + length, this.#ascii);
    this.#hash ??= createHash('sha256');
    this.#hash.update(this.#raw(window.start, window.end));
    this.#dropped += length;
    const moved = window.end;
    window.clear();
    for (const finder of [this.#lineFeeds, this.#carriageReturns, this.#quotes]) finder.moved(moved);
    this.#lastReturn -= moved;
    this.#pos = 0;
  }

  #endRecord(stop: number): void {
    const window = this.#window;
    const open = this.#open;
    const length = this.#dropped + stop - window.start;
    open.endCell(length);
    if (length > this.#format.limits.max_row_bytes) open.note('row_too_long', length);
    const cells = open.cells(window.bytes, window.start, length, this.#ascii);
    if (!this.#ascii && this.#dropped === 0 && !this.#codec.isValid(window.bytes, window.start, stop)) {
      open.note('encoding_invalid', length);
    }
    const rest = this.#raw(window.start, stop);
    const digest = this.#hash === undefined ? this.#digests.digest(rest) : this.#hash.update(rest).digest();
    this.#hash = undefined;
    const kept = Math.min(length, this.#format.limits.max_row_bytes);
    this.#emit(cells, open.line, this.#line, digest, kept, open.problem());
    this.#line++;
    this.#between = true;
    this.#skipLineFeed = stop < window.end && window.bytes[stop] === CR;
    window.start = Math.min(stop + 1, window.end);
  }

  #raw(from: number, to: number): Buffer {
    return this.#codec.raw(this.#view.subarray(from, to));
  }

  #emit(
    cells: readonly string[],
    line_start: number,
    line_end: number,
    raw_sha256: Buffer,
    bytes: number,
    problem: RecordProblem | undefined,
  ): void {
    const record = { cells, line_start, line_end, raw_sha256 };
    this.batch.add(problem === undefined ? record : { ...record, problem }, bytes);
  }
}
