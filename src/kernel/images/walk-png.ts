import { crc32 } from 'node:zlib';
import type { WalkedImage } from './image-file.ts';

const SIGNATURE_BYTES = 8;
/** The bytes of a chunk's length, type and checksum. */
const CHUNK_FRAME = 12;

/** Walks over the chunks of a PNG and checks their checksums; `null` if it is broken. Source: W3C PNG, section 5. */
export function walkPng(bytes: Buffer): WalkedImage | null {
  let at = SIGNATURE_BYTES;
  let size: { width: number; height: number } | null = null;
  let data = false;
  while (at + CHUNK_FRAME <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const end = at + CHUNK_FRAME + length;
    if (end > bytes.length) return null;
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return null;
    if (size === null) {
      if (type !== 'IHDR' || length !== 13) return null;
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) };
    }
    if (type === 'IDAT') data = true;
    if (type === 'IEND') return data ? { ...size, frames: 1, end } : null;
    at = end;
  }
  return null;
}
