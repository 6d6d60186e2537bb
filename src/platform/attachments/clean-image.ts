/** Decodes an image and writes it anew, so that nothing of the sent bytes is kept: no metadata, no hidden data. */
import type Sharp from 'sharp';
import { readImage } from '../../kernel/images/read-image.ts';
import { lateLibrary } from '../late-library.ts';
import type { FileProblem } from './errors.ts';

const sharp = lateLibrary<typeof Sharp>('sharp');

/** Whether the native library of images loads on this machine. Source: docs/design/attachments.md. */
export function readsImages(): boolean {
  try {
    sharp();
    return true;
  } catch {
    return false;
  }
}

const PIXELS_MAX = 50_000_000;
const SIDE_MAX = 4_096;
/** A sound image takes two seconds at most, so only a busy machine needs more. */
const SECONDS_MAX = 10;
export const OUT_OF_TIME = 'out_of_time';
/** The library names no code. */
const TIMEOUT = /^timeout\b/;
/** A scanner must take the copy whole (docs/operations.md), and a PNG of a few colours grows when it is written anew. */
const COPY_BYTES_MAX = 16_000_000;
/** The bytes of a smaller copy are not quite in proportion to its pixels. */
const SPARE = 0.9;
const FORMATS = { 'image/jpeg': 'jpeg', 'image/png': 'png', 'image/webp': 'webp' } as const;
type CleanType = keyof typeof FORMATS;
export const isCleanType = (type: string): type is CleanType => Object.hasOwn(FORMATS, type);

/** Why an image was not written anew. */
export const imageProblem = (error: unknown): 'attachment_unreadable' | typeof OUT_OF_TIME =>
  error instanceof Error && TIMEOUT.test(error.message) ? OUT_OF_TIME : 'attachment_unreadable';

/**
 * @param sideMin least pixels of the shorter side, before the image is fitted
 * @param secondsMax for each copy that is written
 * @returns the new image upright, its first frame only, fitted into 4,096 × 4,096 and 16 MB; or the problem
 */
export async function cleanImage(
  bytes: Buffer,
  sideMin: number,
  secondsMax = SECONDS_MAX,
): Promise<
  | { readonly bytes: Buffer; readonly width: number; readonly height: number }
  | FileProblem
  | typeof OUT_OF_TIME
> {
  const read = readImage(bytes);
  if (typeof read === 'string' || !isCleanType(read.content_type)) return 'attachment_unreadable';
  if (Math.min(read.width, read.height) < sideMin) return 'image_too_small';
  const format = FORMATS[read.content_type];
  const open = sharp();
  const write = (side: number) =>
    open(bytes, { limitInputPixels: PIXELS_MAX, failOn: 'error' })
      .timeout({ seconds: secondsMax })
      .rotate()
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .toFormat(format)
      .toBuffer({ resolveWithObject: true });
  try {
    let copy = await write(SIDE_MAX);
    while (copy.data.length > COPY_BYTES_MAX) {
      const part = Math.sqrt(COPY_BYTES_MAX / copy.data.length) * SPARE;
      copy = await write(Math.floor(Math.max(copy.info.width, copy.info.height) * part));
    }
    const { data, info } = copy;
    return { bytes: data, width: info.width, height: info.height };
  } catch (error) {
    return imageProblem(error);
  }
}
