import type { WalkedImage } from './image-file.ts';

const BEGIN = 0xd8;
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

/** A segment with the list of the images in the file: cameras put a gain map or a preview behind the first (CIPA DC-007). */
const LIST_MARKER = 0xe2;
const LIST = 'MPF\0';

interface WalkedJpeg extends WalkedImage {
  readonly isFirstOfSeveral: boolean;
}

/** Where the next image begins; `null` if none follows. */
function nextImage(bytes: Buffer, from: number): number | null {
  let at = from;
  while (bytes[at] === 0) at += 1;
  return bytes[at] === 0xff && bytes[at + 1] === BEGIN && bytes[at + 2] === 0xff ? at : null;
}

/** Walks over a JPEG, and the images behind it that it lists; `null` if the first is broken. */
export function walkJpeg(bytes: Buffer): WalkedImage | null {
  const first = walkOne(bytes, 0);
  if (first === null) return null;
  const { isFirstOfSeveral, ...image } = first;
  let { end } = first;
  for (let at = isFirstOfSeveral ? nextImage(bytes, end) : null; at !== null; at = nextImage(bytes, end)) {
    const next = walkOne(bytes, at);
    if (next === null) break;
    end = next.end;
  }
  return { ...image, end };
}

/** Walks over the segments of one JPEG; `null` if it is broken. Source: ITU-T T.81, annex B. */
function walkOne(bytes: Buffer, from: number): WalkedJpeg | null {
  let at: number | null = from + 2;
  let size: { width: number; height: number } | null = null;
  let scans = 0;
  let isFirstOfSeveral = false;
  while (at !== null && at + 1 < bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker: number = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === END)
      return size === null || scans === 0 ? null : { ...size, frames: 1, end: at + 2, isFirstOfSeveral };
    if (at + 4 > bytes.length) return null;
    const length = bytes.readUInt16BE(at + 2);
    const next: number = at + 2 + length;
    if (length < 2 || next > bytes.length) return null;
    if (isFrame(marker) && size === null) {
      if (length < 8) return null;
      size = { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    if (marker === LIST_MARKER && bytes.toString('latin1', at + 4, at + 4 + LIST.length) === LIST)
      isFirstOfSeveral = true;
    if (marker === SCAN) scans += 1;
    at = marker === SCAN ? afterScan(bytes, next) : next;
  }
  return null;
}
