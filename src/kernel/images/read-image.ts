/**
 * Recognises an image by its bytes, not by its name, and walks over its whole structure. So it refuses a file that is
 * cut off, and one with other data after the image. It refuses SVG, because an SVG file can contain scripts.
 */
import type { ImageFile, ImageProblem, ImageType, WalkedImage } from './image-file.ts';
import { walkGif } from './walk-gif.ts';
import { walkJpeg } from './walk-jpeg.ts';
import { walkPng } from './walk-png.ts';
import { walkWebp } from './walk-webp.ts';

interface Format {
  readonly content_type: ImageType;
  readonly matches: (bytes: Buffer) => boolean;
  readonly walk: (bytes: Buffer) => WalkedImage | null;
}

const startsWith = (bytes: Buffer, text: string, at = 0): boolean =>
  bytes.toString('latin1', at, at + text.length) === text;

const FORMATS: readonly Format[] = [
  {
    content_type: 'image/png',
    matches: (bytes) => startsWith(bytes, '\x89PNG\r\n\x1a\n'),
    walk: walkPng,
  },
  { content_type: 'image/jpeg', matches: (bytes) => startsWith(bytes, '\xff\xd8\xff'), walk: walkJpeg },
  {
    content_type: 'image/gif',
    matches: (bytes) => startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a'),
    walk: walkGif,
  },
  {
    content_type: 'image/webp',
    matches: (bytes) => startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8),
    walk: walkWebp,
  },
];

export const IMAGE_TYPES: readonly ImageType[] = FORMATS.map(({ content_type }) => content_type);

/** Reads the type and the dimensions of an image, in time linear in its length. */
export function readImage(bytes: Buffer): ImageFile | ImageProblem {
  const format = FORMATS.find(({ matches }) => matches(bytes));
  if (format === undefined) return 'image_type_unknown';
  const walked = format.walk(bytes);
  if (walked === null) return 'image_truncated';
  const { end, ...rest } = walked;
  if (end < bytes.length && bytes.subarray(end).some((byte) => byte !== 0)) return 'image_trailing_bytes';
  return { content_type: format.content_type, ...rest };
}
