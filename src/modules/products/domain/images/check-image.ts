import type { ImageFile, ImageProblem, ImageType } from '../../../../kernel/images/image-file.ts';
import { readImage } from '../../../../kernel/images/read-image.ts';

/** A buyer cannot recognise a smaller image on a product page. */
const IMAGE_SIDE_MIN = 50;
/** Common cameras make smaller images. */
const IMAGE_SIDE_MAX = 12_000;
/** A decoder needs 200 MB of memory for one frame of this size. */
const IMAGE_PIXELS_MAX = 50_000_000;
/** The sum of all frames of an animation. */
const ANIMATION_PIXELS_MAX = 500_000_000;

/** The keys are the codes of the field errors in a 422 answer. */
const MESSAGES: Readonly<
  Record<ImageProblem | 'image_type_mismatch' | 'image_too_small' | 'image_too_large', string>
> = {
  image_type_unknown: 'The file is not a PNG, JPEG, GIF or WebP image.',
  image_truncated: 'The image is damaged or incomplete.',
  image_trailing_bytes:
    'The file has other data after the image. Save the image again and send the new file.',
  image_type_mismatch: 'The file is an image of another type than the Content-Type says.',
  image_too_small: `Each side must have at least ${IMAGE_SIDE_MIN} pixels.`,
  image_too_large:
    `Each side may have at most ${IMAGE_SIDE_MAX} pixels and each frame at most ${IMAGE_PIXELS_MAX}. ` +
    `All frames of an animation together may have at most ${ANIMATION_PIXELS_MAX} pixels.`,
};

interface ImageRefusal {
  readonly code: keyof typeof MESSAGES;
  readonly message: string;
}

const refusal = (code: keyof typeof MESSAGES): ImageRefusal => ({ code, message: MESSAGES[code] });

function problemOf(
  { content_type, width, height, frames }: ImageFile,
  stated: ImageType,
): keyof typeof MESSAGES | null {
  if (content_type !== stated) return 'image_type_mismatch';
  if (Math.min(width, height) < IMAGE_SIDE_MIN) return 'image_too_small';
  const pixels = width * height;
  const large =
    Math.max(width, height) > IMAGE_SIDE_MAX ||
    pixels > IMAGE_PIXELS_MAX ||
    pixels * frames > ANIMATION_PIXELS_MAX;
  return large ? 'image_too_large' : null;
}

/**
 * Reads an image and checks its type and its size.
 *
 * @param stated the Content-Type of the request
 */
export function checkImage(bytes: Buffer, stated: ImageType): ImageFile | ImageRefusal {
  const image = readImage(bytes);
  if (typeof image === 'string') return refusal(image);
  const problem = problemOf(image, stated);
  return problem === null ? image : refusal(problem);
}
