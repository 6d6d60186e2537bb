import type { Acting } from '../../../kernel/context.ts';
import { fail, invalid } from '../../../kernel/errors.ts';
import type { ImageFile } from '../../../kernel/images/image-file.ts';
import type { Files } from '../../../platform/files/files.ts';
import { checkOptionalLine } from '../domain/fields/check-text.ts';
import { API_COLUMNS } from '../domain/fields/field-columns.ts';
import { IMAGE_ALT_MAX, IMAGES_MAX } from '../domain/fields/limits.ts';
import { validatePatch } from '../domain/fields/validate-patch.ts';
import { imageFinder } from '../domain/images/media-url.ts';
import type { ProductImage, StoredProduct } from '../domain/product.ts';
import type { RowMessage } from '../domain/row.ts';
import { hasError } from '../domain/row-codes.ts';
import { errors } from '../errors.ts';
import { mediaUrl } from '../settings.ts';
import { changeImages, withImage } from './change-images.ts';
import { fileIdOf } from './keep-image-files.ts';
import { toProblem } from './problems.ts';

interface AddedImage {
  readonly product: StoredProduct;
  readonly image: ProductImage;
}

function requireRoom(images: readonly ProductImage[]): void {
  if (images.length >= IMAGES_MAX) throw fail(errors.image_limit, { facts: { limit: IMAGES_MAX } });
}

const addedTo = (product: StoredProduct, imageId: string): AddedImage => {
  const image = product.images.find(({ image_id }) => image_id === imageId);
  if (image === undefined) throw new Error(`image ${imageId} was not added`);
  return { product, image };
};

interface ImageRecord {
  readonly url: string;
  readonly alt?: string | null | undefined;
  readonly position?: number | undefined;
}

/** Throws to refuse the request. */
type Check = (before: StoredProduct) => void;

/**
 * Adds an image by its URL.
 *
 * @throws ApiError 404, 409 `image_exists`, `image_limit`, 412, 422
 */
export async function addImageRecord(
  ctx: Acting,
  productId: string,
  record: ImageRecord,
  check: Check,
): Promise<AddedImage> {
  const { url, alt, position } = record;
  const { patch, messages } = validatePatch(
    { images: [alt === undefined ? { url } : { url, alt }] },
    { ...API_COLUMNS, fields: { ...API_COLUMNS.fields, images: 'url' } },
  );
  const [sent] = patch.images ?? [];
  const image_id = ctx.ids.next('img_');
  const product = await changeImages(ctx, productId, 'image_added', (before) => {
    check(before);
    const { images } = before;
    if (hasError(messages)) throw invalid(messages.map((message) => toProblem(message)));
    if (sent === undefined) {
      const msg = 'Send the http or https URL of an image.';
      throw invalid([{ loc: ['body', 'url'], msg, type: 'url_invalid', input: url.slice(0, 80) }]);
    }
    if (imageFinder(images)(sent.url) !== undefined) throw fail(errors.image_exists);
    if (sent.url.startsWith(mediaUrl(ctx.config))) {
      const msg = 'This image belongs to another product; upload it for this one, too.';
      throw invalid([{ loc: ['body', 'url'], msg, type: 'url_invalid', input: url.slice(0, 80) }]);
    }
    requireRoom(images);
    const unknown = { width: null, height: null, content_type: null, bytes: null, sha256: null };
    const image = { image_id, url: sent.url, alt: sent.alt ?? null, position: 0, ...unknown };
    return withImage(images, image, position);
  });
  return addedTo(product, image_id);
}

interface UploadedImage {
  readonly file: ImageFile;
  readonly bytes: Buffer;
  readonly alt: string | null;
  readonly position: number | undefined;
}

/** The alternative text of an upload is a query parameter, because the body is the image. */
function checkedAlt(alt: string | null): string | null {
  const messages: RowMessage[] = [];
  const checked = checkOptionalLine(alt, IMAGE_ALT_MAX, { column: 'alt', messages });
  if (hasError(messages)) throw invalid(messages.map((message) => toProblem(message, ['query'])));
  return checked ?? null;
}

/**
 * Adds an image from its bytes.
 *
 * @throws ApiError 404, 409 `image_limit`, 412, 422
 */
export async function addUploadedImage(
  ctx: Acting,
  files: Files,
  productId: string,
  upload: UploadedImage,
  check: Check,
): Promise<AddedImage> {
  const { file, bytes, position } = upload;
  const alt = checkedAlt(upload.alt);
  const image_id = ctx.ids.secret('img_');
  const product = await changeImages(ctx, productId, 'image_added', async (before) => {
    check(before);
    const { images } = before;
    requireRoom(images);
    const kept = await files.put(
      ctx.db,
      {
        fileId: fileIdOf(image_id),
        sellerId: ctx.seller_id,
        purpose: 'image',
        contentType: file.content_type,
        now: ctx.now(),
      },
      [bytes],
    );
    const image: ProductImage = {
      image_id,
      url: mediaUrl(ctx.config) + image_id,
      alt,
      position: 0,
      width: file.width,
      height: file.height,
      content_type: file.content_type,
      bytes: kept.bytes,
      sha256: kept.sha256.toString('hex'),
    };
    return withImage(images, image, position);
  });
  return addedTo(product, image_id);
}
