import type { WalkedImage } from './image-file.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The dimensions in a chunk; `undefined` for a chunk without dimensions, `null` for a broken chunk. */
function sizeOf(type: string, data: Buffer): Size | null | undefined {
  if (type === 'VP8X') {
    if (data.length < 10) return null;
    return { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
  }
  if (type === 'VP8 ') {
    if (data.length < 10 || data.readUIntBE(3, 3) !== 0x9d012a) return null;
    return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
  }
  if (type !== 'VP8L') return undefined;
  if (data.length < 5 || data[0] !== 0x2f) return null;
  const bits = data.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

const RIFF_HEADER = 12;

/** Walks over the chunks of a WebP; `null` if it is broken. Source: RFC 9649 section 2. */
export function walkWebp(bytes: Buffer): WalkedImage | null {
  if (bytes.length < RIFF_HEADER) return null;
  const end = 8 + bytes.readUInt32LE(4);
  if (end > bytes.length) return null;
  let size: Size | undefined;
  let frames = 0;
  for (let at = RIFF_HEADER; at + 8 <= end; ) {
    const type = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    if (at + 8 + length > end) return null;
    const stated = sizeOf(type, bytes.subarray(at + 8, at + 8 + length));
    if (stated === null) return null;
    if (stated !== undefined) {
      size = {
        width: Math.max(size?.width ?? 0, stated.width),
        height: Math.max(size?.height ?? 0, stated.height),
      };
    }
    if (type === 'ANMF' || type === 'VP8 ' || type === 'VP8L') frames += 1;
    at += 8 + length + (length % 2);
  }
  return size === undefined || frames === 0 ? null : { ...size, frames, end };
}
