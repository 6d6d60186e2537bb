/**
 * The part of a byte stream that a reader still needs, in one buffer that is reused. The reader still needs
 * `bytes[start, end)`. The buffer doubles when it grows, and bytes move to its front only when new ones arrive, so the
 * work is linear in the stream for chunks of any size.
 */
export class ByteWindow {
  bytes: Buffer;
  start = 0;
  end = 0;

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafeSlow(capacity);
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Appends a piece. @returns by how many places the kept bytes have moved towards the front */
  append(piece: Buffer): number {
    const moved = this.start;
    if (moved > 0) {
      this.bytes.copyWithin(0, this.start, this.end);
      this.end -= moved;
      this.start = 0;
    }
    const needed = this.end + piece.length;
    if (needed > this.bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
      this.bytes.copy(grown, 0, 0, this.end);
      this.bytes = grown;
    }
    piece.copy(this.bytes, this.end);
    this.end = needed;
    return moved;
  }

  /** Forgets all bytes. */
  clear(): void {
    this.start = 0;
    this.end = 0;
  }
}
