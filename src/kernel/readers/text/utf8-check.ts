import { isAscii, isUtf8 } from 'node:buffer';

/** The check copies at most this number of bytes at a time. */
const PIECE_BYTES = 1024 * 1024;

/** Checks whether a stream of bytes is strict UTF-8, with the native check. A chunk may end inside a character. */
export class Utf8Check {
  /** Whether all bytes so far are valid UTF-8. */
  valid = true;
  /** Whether there was a valid sequence of two to four bytes, which is rare in other encodings. */
  multibyte = false;
  #carry: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) this.#check(chunk.subarray(at, at + PIECE_BYTES));
  }

  /** Must be called at the end, because an incomplete sequence there is invalid. */
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

/** The length of the UTF-8 sequence that a lead byte begins; 0 for any other byte. */
function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/** The number of last bytes, from 0 to 3, that begin a sequence which the next chunk may complete. */
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
