/**
 * The part of a byte stream that a reader still needs, in one buffer that is reused.
 * `[start, end)` of `bytes` are the bytes not yet done with. Growing doubles, and bytes move to the front only
 * when new ones arrive, so the work is linear in the stream whatever its chunks.
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

  /** Takes in `piece` and returns by how much the kept bytes moved towards the front. */
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
