import type { RecordLimits, RecordProblem, RecordProblemCode } from '../records.ts';
import type { RecordCodec } from './record-codec.ts';
import * as grammar from './record-grammar.ts';

/** Three numbers for each cell: its beginning, its end, and whether it has doubled quotes. */
const BOUNDS = 3;

/** The longest record whose cells are slices of one text; see `SPLIT_BYTES` in `record-scanner.ts`. */
const SLICE_BYTES = 1024;

/** Of several problems of a record, the first in this list is reported. A cell of 50 MB also makes its row too long. */
const PRECEDENCE: readonly RecordProblemCode[] = [
  'quote_unclosed',
  'quote_misplaced',
  'too_many_columns',
  'cell_too_long',
  'row_too_long',
  'encoding_invalid',
];

/**
 * A record that is read byte by byte: the positions of its cells, and its problems. Offsets count from the record's
 * first byte, so they remain valid when the window moves.
 */
export class OpenRecord {
  readonly #limits: RecordLimits;
  readonly #codec: RecordCodec;
  readonly #messages = new Map<RecordProblemCode, string>();
  #bounds = new Int32Array(64 * BOUNDS);
  #recorded = 0;
  #kept: string[] | undefined;
  #columns = 0;
  #cellFrom = 0;
  #closeAt = 0;
  #doubled = 0;
  #quoteLine = 0;
  #quoted = false;

  state = grammar.CELL_START;
  /** Line on which the record begins. */
  line = 1;

  constructor(limits: RecordLimits, codec: RecordCodec) {
    this.#limits = limits;
    this.#codec = codec;
  }

  reset(line: number): void {
    this.line = line;
    this.#messages.clear();
    this.#recorded = 0;
    this.#kept = undefined;
    this.#columns = 0;
    this.#startCell(0);
  }

  /** Applies an action of the grammar at offset `at` and returns the next state. */
  apply(action: number, at: number, line: number): number {
    switch (action) {
      case grammar.BEGIN_UNQUOTED:
        this.state = grammar.UNQUOTED;
        break;
      case grammar.OPEN_QUOTE:
        this.state = grammar.QUOTED;
        this.#quoted = true;
        this.#quoteLine = line;
        break;
      case grammar.END_CELL:
        this.endCell(at);
        this.#startCell(at + 1);
        break;
      case grammar.MAYBE_CLOSE:
        this.#closeAt = at;
        this.state = grammar.QUOTE_IN_QUOTED;
        break;
      case grammar.ESCAPED_QUOTE:
        this.#doubled = 1;
        this.state = grammar.QUOTED;
        break;
      case grammar.MISPLACED_QUOTE:
        this.#noteMisplaced(line);
        this.state = grammar.QUOTED;
        break;
      case grammar.BLANK_BEHIND:
        this.#noteMisplaced(line);
        this.state = grammar.BLANK_AFTER_QUOTE;
        break;
      case grammar.MISPLACED_MAYBE_CLOSE:
        this.#closeAt = at;
        this.state = grammar.QUOTE_IN_QUOTED;
        break;
    }
    return this.state;
  }

  #startCell(at: number): void {
    this.#cellFrom = at;
    this.#doubled = 0;
    this.#quoted = false;
    this.state = grammar.CELL_START;
  }

  /** Ends the current cell at offset `at`. If a quote is open, this is the end of the file. */
  endCell(at: number): void {
    if (this.state === grammar.QUOTED) this.#noteUnclosed();
    this.#columns++;
    const { from, to } = this.#cellBounds(at);
    const length = to - from;
    if (length > this.#limits.max_cell_bytes) this.note('cell_too_long', length);
    if (this.#columns === this.#limits.max_columns + 1) this.note('too_many_columns', 0);
    if (this.#kept === undefined && this.#columns <= this.#limits.max_columns) this.#record(from, to);
  }

  #cellBounds(at: number): { from: number; to: number } {
    const from = this.#quoted ? this.#cellFrom + 1 : this.#cellFrom;
    return { from, to: this.state === grammar.QUOTE_IN_QUOTED ? this.#closeAt : at };
  }

  #record(from: number, to: number): void {
    if (from > this.#limits.max_row_bytes) return;
    const at = this.#recorded * BOUNDS;
    if (at === this.#bounds.length) {
      const grown = new Int32Array(this.#bounds.length * 2);
      grown.set(this.#bounds);
      this.#bounds = grown;
    }
    this.#bounds[at] = from;
    this.#bounds[at + 1] = to;
    this.#bounds[at + 2] = this.#doubled;
    this.#recorded++;
  }

  /** Decodes the cells read so far, before their bytes are dropped. Later cells of the record are not kept. */
  keepCells(bytes: Buffer, start: number, length: number, ascii: boolean): void {
    if (this.#kept !== undefined) return;
    const { from, to } = this.#cellBounds(length);
    if (this.#columns < this.#limits.max_columns) this.#record(from, to);
    this.#kept = this.#decodeAll(bytes, start, length, ascii);
  }

  cells(bytes: Buffer, start: number, length: number, ascii: boolean): string[] {
    return this.#kept ?? this.#decodeAll(bytes, start, length, ascii);
  }

  /** The cells, cut to the cell limit. `start` is the index of the record's first byte in `bytes`. */
  #decodeAll(bytes: Buffer, start: number, length: number, ascii: boolean): string[] {
    const bounds = this.#bounds;
    const sliceable = length <= SLICE_BYTES && (ascii || this.#codec.singleByte);
    const text = sliceable ? this.#codec.decode(bytes, start, start + length) : '';
    const cells: string[] = [];
    for (let at = 0; at < this.#recorded * BOUNDS; at += BOUNDS) {
      const from = bounds[at] as number;
      const to = this.#cut(bytes, start, from, bounds[at + 1] as number);
      const cell = sliceable ? text.slice(from, to) : this.#decode(bytes, start + from, start + to, ascii);
      cells.push(bounds[at + 2] === 1 ? cell.replaceAll('""', '"') : cell);
    }
    return cells;
  }

  #decode(bytes: Buffer, from: number, to: number, ascii: boolean): string {
    return ascii ? bytes.toString('latin1', from, to) : this.#codec.decode(bytes, from, to);
  }

  /** The end of a cell after the limits have cut it. It is never inside a UTF-8 character. */
  #cut(bytes: Buffer, start: number, from: number, to: number): number {
    let cut = Math.min(from + this.#limits.max_cell_bytes, this.#limits.max_row_bytes);
    if (to <= cut) return to;
    if (this.#codec.singleByte) return cut;
    for (let steps = 0; steps < 3 && ((bytes[start + cut] ?? 0) & 0xc0) === 0x80; steps++) cut--;
    return cut;
  }

  #noteMisplaced(line: number): void {
    if (this.#messages.has('quote_misplaced')) return;
    const began = this.#quoteLine === line ? '' : ` (the cell began on line ${this.#quoteLine})`;
    this.#messages.set(
      'quote_misplaced',
      `Line ${line}, column ${this.#columns + 1}: text follows a closing quote${began}. Inside a quoted cell a quote is written twice.`,
    );
  }

  #noteUnclosed(): void {
    this.#messages.set(
      'quote_unclosed',
      `The quote opened on line ${this.#quoteLine} in column ${this.#columns + 1} is never closed; everything behind it was read as one cell.`,
    );
  }

  /** Notes a problem. For each code the first message is kept. */
  note(
    code: 'row_too_long' | 'cell_too_long' | 'too_many_columns' | 'encoding_invalid',
    bytes: number,
  ): void {
    if (this.#messages.has(code)) return;
    const limits = this.#limits;
    const messages = {
      row_too_long: `The row has ${bytes} bytes; at most ${limits.max_row_bytes} are allowed.`,
      cell_too_long: `Column ${this.#columns} holds ${bytes} bytes; at most ${limits.max_cell_bytes} are allowed.`,
      too_many_columns: `The row has more than ${limits.max_columns} columns.`,
      encoding_invalid: 'The row holds bytes that are not text in the encoding of the file.',
    };
    this.#messages.set(code, messages[code]);
  }

  /** The problem to report, if there is one. */
  problem(): RecordProblem | undefined {
    if (this.#messages.size === 0) return undefined;
    const code = PRECEDENCE.find((candidate) => this.#messages.has(candidate));
    return code === undefined ? undefined : { code, message: this.#messages.get(code) ?? '' };
  }
}
