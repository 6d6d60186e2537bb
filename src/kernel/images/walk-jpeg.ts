import type { WalkedImage } from './image-file.ts';

const END = 0xd9;
const SCAN = 0xda;
/** Markers of frame headers. The markers of some tables (DHT, JPG, DAC) are in the same range. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
/** A stuffed byte or a restart marker, which both belong to the coded data of a scan. */
const isInsideScan = (marker: number): boolean => marker === 0x00 || (marker >= 0xd0 && marker <= 0xd7);

/** The offset of the marker after the coded data of a scan; `null` if there is none. */
function afterScan(bytes: Buffer, from: number): number | null {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const marker = bytes[at + 1];
    if (marker === undefined) return null;
    if (marker === 0xff || isInsideScan(marker)) continue;
    return at;
  }
  return null;
}

/** Walks over the segments of a JPEG; `null` if it is broken. Source: ITU-T T.81, annex B. */
export function walkJpeg(bytes: Buffer): WalkedImage | null {
  let at: number | null = 2;
  let size: { width: number; height: number } | null = null;
  let scans = 0;
  while (at !== null && at + 1 < bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker: number = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === END) return size === null || scans === 0 ? null : { ...size, frames: 1, end: at + 2 };
    if (at + 4 > bytes.length) return null;
    const length = bytes.readUInt16BE(at + 2);
    const next: number = at + 2 + length;
    if (length < 2 || next > bytes.length) return null;
    if (isFrame(marker) && size === null) {
      if (length < 8) return null;
      size = { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    if (marker === SCAN) scans += 1;
    at = marker === SCAN ? afterScan(bytes, next) : next;
  }
  return null;
}
