const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LF = 0x0a;

const ORDINARY = 0;
const OPENS = 1;
const CLOSES = 2;
const STRING = 3;
const LINE = 4;
const SEPARATES = 5;

const KINDS = new Uint8Array(256);
for (const [chars, kind] of [
  ['{[', OPENS],
  ['}]', CLOSES],
  ['"', STRING],
  ['\n', LINE],
  [',: \t\r', SEPARATES],
] as const) {
  for (const char of chars) KINDS[char.charCodeAt(0)] = kind;
}

/**
 * Finds the end of one JSON value without parsing it: it counts brackets and skips strings. It keeps its state between
 * calls, so a value may arrive in pieces.
 */
export class JsonValueCutter {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #bare = false;
  /** The deepest nesting so far; 0 for a string, a number or a word. */
  depth = 0;
  /** The number of line breaks so far. */
  lines = 0;

  begin(firstByte: number): void {
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    const kind = KINDS[firstByte];
    this.#bare = kind !== OPENS && kind !== STRING;
    this.depth = 0;
    this.lines = 0;
  }

  /** The index after the value's last byte, or -1 if `bytes[from, to)` ends before the value. */
  find(bytes: Buffer, from: number, to: number): number {
    for (let i = from; i < to; i++) {
      const byte = bytes[i] as number;
      if (this.#inString) {
        i = this.#passString(bytes, i, to);
        if (i < to && this.#depth === 0) return i + 1;
        continue;
      }
      const kind = KINDS[byte];
      if (kind === ORDINARY) continue;
      if (this.#bare) return i;
      if (kind === STRING) this.#inString = true;
      else if (kind === OPENS) this.depth = Math.max(this.depth, ++this.#depth);
      else if (kind === CLOSES && --this.#depth === 0) return i + 1;
      else if (kind === LINE) this.lines++;
    }
    return -1;
  }

  /** Index of the quote that ends the string, or `to`. */
  #passString(bytes: Buffer, from: number, to: number): number {
    for (let i = from; i < to; i++) {
      const byte = bytes[i];
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) {
        this.#inString = false;
        return i;
      }
      if (byte === LF) this.lines++;
    }
    return to;
  }
}
