import { OWN_IMAGE_PATH } from '../fields/check-images.ts';
import type { ProductImage } from '../product.ts';
import type { ImageClaim, RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';

/**
 * The images after a row: exactly those of the row, in its order. A known address keeps its image with id and
 * alternative text.
 *
 * @returns the same list when nothing differs
 */
export function mergeImages(
  before: readonly ProductImage[],
  claims: readonly ImageClaim[],
  nextImageId: () => string,
  column: string,
  messages: RowMessage[],
): readonly ProductImage[] {
  if (isSameList(before, claims)) return before;
  const known = before.length === 0 ? null : new Map(before.map((image) => [image.url, image]));
  const after: ProductImage[] = [];
  for (const { url, alt } of claims) {
    const image = known?.get(url);
    const position = after.length + 1;
    if (image !== undefined) {
      after.push({ ...image, position, alt: alt === undefined ? image.alt : alt });
    } else if (url.startsWith(OWN_IMAGE_PATH)) {
      // A path of this service names an upload, which belongs to one product only.
      messages.push(rowMessage('url_invalid', { column, value: url }));
    } else {
      after.push(newImage(nextImageId(), url, alt ?? null, position));
    }
  }
  return after;
}

function newImage(image_id: string, url: string, alt: string | null, position: number): ProductImage {
  return {
    image_id,
    url,
    alt,
    position,
    width: null,
    height: null,
    content_type: null,
    bytes: null,
    sha256: null,
  };
}

function isSameList(before: readonly ProductImage[], claims: readonly ImageClaim[]): boolean {
  if (before.length !== claims.length) return false;
  for (const [index, claim] of claims.entries()) {
    const image = before[index];
    if (image?.url !== claim.url) return false;
    if (claim.alt !== undefined && claim.alt !== image.alt) return false;
  }
  return true;
}
