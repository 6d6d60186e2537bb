import { createHash, type Hash } from 'node:crypto';
import { FeedFileError } from '../feed-file-error.ts';
import { type JsonLimits, type JsonRow, jsonRow } from '../json-row.ts';
import { Batch } from './batch.ts';
import { ByteWindow } from './byte-window.ts';
import { canBegin, JSON_RULES, type JsonState } from './json-grammar.ts';
import { JsonValueCutter } from './json-value-cutter.ts';
import { parseJsonExact } from './parse-json-exact.ts';
import { Sha256Slab } from './sha256-slab.ts';

/** Finds the rows of a JSON feed piece by piece; used like `RecordScanner`. */
export class JsonRowScanner {
  readonly batch = new Batch<JsonRow>();
  readonly #limits: JsonLimits;
  readonly #window = new ByteWindow(128 * 1024);
  readonly #cutter = new JsonValueCutter();
  readonly #digests = new Sha256Slab();
  #state: JsonState = 'start';
  #inValue = false;
  #wrapped = false;
  #rowsSeen = false;
  #key = '';
  #line = 1;
  #lineStart = 1;
  #pos = 0;
  #dropped = 0;
  #hash: Hash | undefined;
  #rows = 0;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  push(piece: Buffer): void {
    this.#pos -= this.#window.append(piece);
  }

  /** Continues to read. @returns true if a batch is full, false if more bytes are needed @throws FeedFileError */
  scan(): boolean {
    while (!this.batch.full) {
      if (!this.#inValue && !this.#step()) return false;
      if (this.#inValue && !this.#readValue()) return false;
    }
    return true;
  }

  /** @throws FeedFileError if the bytes end before the feed does */
  finish(): void {
    if (this.#state !== 'end') {
      this.#fail(`The file ends too early. Expected ${JSON_RULES[this.#state].expected}.`);
    }
    if (!this.#rowsSeen) this.#fail('The object has no "rows".');
  }

  /** Skips one byte between values, or begins a value. @returns false if no byte is left */
  #step(): boolean {
    const window = this.#window;
    if (window.start === window.end) return false;
    const byte = window.bytes[window.start] as number;
    if (byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a) {
      if (byte === 0x0a) this.#line++;
      window.start++;
      return true;
    }
    const char = String.fromCharCode(byte);
    const isRows = this.#state === 'member' && this.#key === 'rows';
    const step = isRows && char === '[' ? 'open_rows' : JSON_RULES[this.#state].on[char];
    if (step === undefined) {
      if (isRows) this.#fail('"rows" must be an array.');
      if (!canBegin(this.#state, char)) this.#fail(`Expected ${JSON_RULES[this.#state].expected}.`);
      this.#beginValue(byte);
      return true;
    }
    window.start++;
    if (step === 'open_rows') this.#openRows();
    else this.#state = step === 'close_rows' ? (this.#wrapped ? 'after_member' : 'end') : step;
    if (step === 'first_key') this.#wrapped = true;
    return true;
  }

  #openRows(): void {
    // In JSON the last of two equal keys counts, but the rows of the first one have already been yielded.
    if (this.#rowsSeen) this.#fail('The object has "rows" twice.');
    this.#rowsSeen = true;
    this.#state = 'first_row';
  }

  #beginValue(firstByte: number): void {
    this.#inValue = true;
    this.#cutter.begin(firstByte);
    this.#pos = this.#window.start;
    this.#dropped = 0;
    this.#lineStart = this.#line;
  }

  #readValue(): boolean {
    const window = this.#window;
    const stop = this.#cutter.find(window.bytes, this.#pos, window.end);
    this.#pos = window.end;
    if (stop < 0) {
      this.#dropOverLimit();
      return false;
    }
    this.#inValue = false;
    this.#line = this.#lineStart + this.#cutter.lines;
    this.#endValue(window.bytes.subarray(window.start, stop));
    window.start = stop;
    return true;
  }

  #dropOverLimit(): void {
    const window = this.#window;
    if (this.#dropped + window.length <= this.#limits.max_row_bytes) return;
    this.#hash ??= createHash('sha256');
    this.#hash.update(window.bytes.subarray(window.start, window.end));
    this.#dropped += window.length;
    window.clear();
    this.#pos = 0;
  }

  #endValue(bytes: Buffer): void {
    const { begins } = JSON_RULES[this.#state];
    const length = this.#dropped + bytes.length;
    if (begins !== 'row' && length > this.#limits.max_row_bytes) {
      this.#fail('A member beside "rows" is too long.');
    }
    try {
      if (begins === 'row') this.#endRow(bytes, length);
      else this.#endMember(begins, parseJsonExact(bytes.toString('utf8')));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const at = Number(/position (\d+)/.exec(error.message)?.[1] ?? bytes.length);
      const lines = bytes.toString('utf8').slice(0, at).split('\n').length - 1;
      this.#line = this.#lineStart + lines;
      this.#fail('This is not JSON.', error);
    }
  }

  #endRow(bytes: Buffer, length: number): void {
    const digest = this.#hash === undefined ? this.#digests.digest(bytes) : this.#hash.update(bytes).digest();
    this.#hash = undefined;
    const frame = {
      row_number: ++this.#rows,
      line_start: this.#lineStart,
      line_end: this.#line,
      raw_sha256: digest,
      length,
      depth: this.#cutter.depth,
    };
    this.batch.add(jsonRow(frame, bytes, this.#limits), bytes.length);
    this.#state = 'after_row';
  }

  #endMember(begins: 'key' | 'member' | undefined, value: unknown): void {
    if (begins === 'key') this.#key = String(value);
    this.#state = begins === 'key' ? 'after_key' : 'after_member';
  }

  #fail(message: string, cause?: unknown): never {
    const where = `Line ${this.#line}: ${message}`;
    throw new FeedFileError('json_invalid', where, { line: this.#line, cause });
  }
}
