/**
 * Finds the occurrences of one byte in a window. It reads each byte once, because it remembers the last occurrence and
 * the range without one.
 */
export class ByteFinder {
  readonly #byte: number;
  #found = -1;
  #searchedTo = 0;

  constructor(byte: number) {
    this.#byte = byte;
  }

  /** Index of the byte at or after `from` in `view`, or -1. `from` must not go back between calls. */
  find(view: Buffer, from: number): number {
    if (this.#found >= from) return this.#found;
    const at = view.indexOf(this.#byte, Math.max(from, this.#searchedTo));
    this.#found = at;
    this.#searchedTo = at < 0 ? view.length : at + 1;
    return at;
  }

  /** The window's bytes have moved `by` places towards the front. */
  moved(by: number): void {
    this.#found = this.#found < by ? -1 : this.#found - by;
    this.#searchedTo = Math.max(0, this.#searchedTo - by);
  }
}
