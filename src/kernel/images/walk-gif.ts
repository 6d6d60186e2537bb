import type { WalkedImage } from './image-file.ts';

const HEADER_BYTES = 13;
const EXTENSION = 0x21;
const FRAME = 0x2c;
const TRAILER = 0x3b;

/** The length of a colour table, whose size a packed field states. */
const tableBytes = (packed: number): number => ((packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1));

/** The offset after a series of sub-blocks; `null` if the series does not end. */
function afterBlocks(bytes: Buffer, from: number): number | null {
  let at = from;
  for (;;) {
    const length = bytes[at];
    if (length === undefined) return null;
    at += 1 + length;
    if (length === 0) return at;
  }
}

/** Walks over the blocks of a GIF; `null` if it is broken. Source: GIF89a specification. */
export function walkGif(bytes: Buffer): WalkedImage | null {
  if (bytes.length < HEADER_BYTES) return null;
  const screen = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  let { width, height } = screen;
  let frames = 0;
  let at: number | null = HEADER_BYTES + tableBytes(bytes[10] ?? 0);
  while (at !== null && at < bytes.length) {
    const kind = bytes[at];
    if (kind === TRAILER) return frames === 0 ? null : { width, height, frames, end: at + 1 };
    if (kind === EXTENSION) {
      at = afterBlocks(bytes, at + 2);
    } else if (kind === FRAME && at + 10 < bytes.length) {
      frames += 1;
      width = Math.max(width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5));
      height = Math.max(height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7));
      at = afterBlocks(bytes, at + 10 + tableBytes(bytes[at + 9] ?? 0) + 1);
    } else return null;
  }
  return null;
}
