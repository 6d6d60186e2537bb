import { imageFinder } from '../images/media-url.ts';
import type { ProductImage } from '../product.ts';
import type { ImageClaim, RowMessage } from '../row.ts';
import { rowMessage } from '../row-codes.ts';
import type { PlanContext } from './plan-context.ts';

/**
 * The images after a row: those of the row, in its order. An image that the product has under the same address keeps
 * its id, and its alternative text unless the row has one.
 *
 * @returns the same list when nothing changes
 */
export function mergeImages(
  before: readonly ProductImage[],
  claims: readonly ImageClaim[],
  { nextImageId, media_url }: Pick<PlanContext, 'nextImageId' | 'media_url'>,
  column: string,
  messages: RowMessage[],
): readonly ProductImage[] {
  if (isSameList(before, claims)) return before;
  const find = imageFinder(before);
  const kept = new Set<ProductImage>();
  const after: ProductImage[] = [];
  for (const { url, alt } of claims) {
    const image = find(url);
    const position = after.length + 1;
    if (image !== undefined && kept.has(image)) {
      // An upload has several addresses: the present one, and those from before `PUBLIC_URL` changed.
      messages.push(rowMessage('image_duplicate', { column, value: url }));
    } else if (image !== undefined) {
      kept.add(image);
      after.push({ ...image, position, alt: alt === undefined ? image.alt : alt });
    } else if (url.startsWith(media_url)) {
      // An uploaded image belongs to one product, and this product does not have it.
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
