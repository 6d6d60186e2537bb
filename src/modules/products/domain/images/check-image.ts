import type { ImageFile, ImageProblem, ImageType } from './image-file.ts';
import { readImage } from './read-image.ts';

/** Smaller pictures show nothing on any shop page. */
export const IMAGE_SIDE_MIN = 50;
/** Larger than the pictures of common cameras. */
export const IMAGE_SIDE_MAX = 12_000;
/** A decoder needs 200 MB for one frame of so many pixels. */
export const IMAGE_PIXELS_MAX = 50_000_000;
/** All frames of an animation together. */
const ANIMATION_PIXELS_MAX = 500_000_000;

/** One sentence for each finding; the keys are the codes of the 422 entries. */
const MESSAGES: Readonly<
  Record<ImageProblem | 'image_type_mismatch' | 'image_too_small' | 'image_too_large', string>
> = {
  image_type_unknown: 'The bytes are no PNG, JPEG, GIF or WebP image.',
  image_truncated: 'The image is broken or cut off.',
  image_trailing_bytes: 'Something else follows the image in the file; save it again as an image alone.',
  image_type_mismatch: 'The bytes are an image of another type than the Content-Type says.',
  image_too_small: `Each side must have at least ${IMAGE_SIDE_MIN} pixels.`,
  image_too_large: `Sides may have ${IMAGE_SIDE_MAX} pixels, the whole image ${IMAGE_PIXELS_MAX}.`,
};

export interface ImageRefusal {
  readonly code: keyof typeof MESSAGES;
  readonly message: string;
}

function codeOf(image: ImageFile | ImageProblem, stated: ImageType): keyof typeof MESSAGES | null {
  if (typeof image === 'string') return image;
  const { content_type, width, height, frames } = image;
  if (content_type !== stated) return 'image_type_mismatch';
  if (Math.min(width, height) < IMAGE_SIDE_MIN) return 'image_too_small';
  const pixels = width * height;
  const large =
    Math.max(width, height) > IMAGE_SIDE_MAX ||
    pixels > IMAGE_PIXELS_MAX ||
    pixels * frames > ANIMATION_PIXELS_MAX;
  return large ? 'image_too_large' : null;
}

/** The image, or why it is not taken. */
export function checkImage(bytes: Buffer, stated: ImageType): ImageFile | ImageRefusal {
  const image = readImage(bytes);
  const code = codeOf(image, stated);
  if (code === null && typeof image !== 'string') return image;
  const refused = code ?? 'image_truncated';
  return { code: refused, message: MESSAGES[refused] };
}
