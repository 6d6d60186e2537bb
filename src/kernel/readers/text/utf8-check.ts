import { isAscii, isUtf8 } from 'node:buffer';

/** Checked at a time, so that one huge chunk costs no huge copy. */
const PIECE_BYTES = 1024 * 1024;

/** Whether a stream of bytes is strict UTF-8, whatever its chunks, at the speed of the native check. */
export class Utf8Check {
  /** No byte so far contradicts UTF-8. */
  valid = true;
  /** Some valid sequence of two to four bytes was seen: hardly ever an accident of another encoding. */
  multibyte = false;
  #carry: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) this.#check(chunk.subarray(at, at + PIECE_BYTES));
  }

  /** Call at the end: a sequence cut off there is invalid. */
  finish(): void {
    if (this.#carry.length > 0) this.valid = false;
  }

  #check(piece: Buffer): void {
    if (!this.valid && this.multibyte) return;
    const bytes = this.#carry.length === 0 ? piece : Buffer.concat([this.#carry, piece]);
    const whole = bytes.subarray(0, bytes.length - incompleteTail(bytes));
    this.#carry = Buffer.from(bytes.subarray(whole.length));
    if (isAscii(whole)) return;
    if (isUtf8(whole)) this.multibyte = true;
    else {
      this.valid = false;
      this.multibyte ||= holdsSequence(whole);
    }
  }
}

/** Length of the UTF-8 sequence that a lead byte announces, 0 for any other byte. */
function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/** How many last bytes are the beginning of a sequence that the next chunk may complete: 0 to 3. */
function incompleteTail(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

function holdsSequence(bytes: Buffer): boolean {
  for (let i = 0; i < bytes.length; i++) {
    const length = sequenceLength(bytes[i] as number);
    if (length === 0 || ((bytes[i + 1] ?? 0) & 0xc0) !== 0x80) continue;
    if (i + length <= bytes.length && isUtf8(bytes.subarray(i, i + length))) return true;
  }
  return false;
}
