import Type from 'typebox';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { IMAGE_TYPES } from '../../../kernel/images/read-image.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import type { Services } from '../../../platform/services.ts';
import { fileIdOf } from '../actions/keep-image-files.ts';
import { MEDIA_PATH } from '../domain/images/media-url.ts';
import { imageIdOf } from '../domain/product-id.ts';

/** Reads an image chunk by chunk, so that a slow client holds neither a connection nor the whole image. */
async function* bytesOf({ withSeller, files }: Services, sellerId: string, fileId: string) {
  for (let seq = 0; ; seq += 1) {
    const data = await withSeller(sellerId, 'read', (db) => files.chunk(db, fileId, seq));
    if (data === undefined) return;
    yield data;
  }
}

/**
 * Uploaded images for buyers, who have no token. Everybody with the id, which has 130 random bits, can read the image.
 * Its bytes never change. A removed image answers 404.
 */
export const mediaRoutes = [
  defineRoute({
    id: 'products.media.get',
    method: 'GET',
    path: `${MEDIA_PATH}{image_id}`,
    root: true,
    summary: 'Read an uploaded image',
    description:
      'The address of an uploaded image, as `url` of the image shows it. It needs no token, may be cached forever, and answers 404 once the image is removed. Query parameters are ignored.',
    access: { auth: 'public', rate: 'media', idempotency: 'none' },
    // Pages add `?v=1` and the like so that caches ask again. The bytes of an id never change, so nothing depends on it.
    ownQuery: true,
    params: Type.Object({ image_id: Type.String({ description: 'Id of the image, `img_…`' }) }),
    tx: 'own',
    ok: [{ status: 200, description: 'The bytes as they were uploaded', contentTypes: IMAGE_TYPES }],
    errors: [coreErrors.not_found],
    handler: async ({ services }, { params }) => {
      const { withSystem, withSeller, files } = services;
      const fileId = fileIdOf(imageIdOf(params));
      const sellerId = await withSystem('public-image', 'read', (db) => files.imageOwner(db, fileId));
      const file = sellerId && (await withSeller(sellerId, 'read', (db) => files.stat(db, fileId)));
      if (!sellerId || !file || !IMAGE_TYPES.some((type) => type === file.content_type))
        throw fail(coreErrors.not_found);
      return {
        etag: file.sha256.toString('hex'),
        headers: {
          'content-length': String(file.bytes),
          'content-disposition': 'inline',
          'cache-control': 'public, max-age=31536000, immutable',
          // The marketplace shows the image on pages of its own.
          'cross-origin-resource-policy': 'cross-origin',
        },
        content: { type: file.content_type, data: bytesOf(services, sellerId, fileId) },
      };
    },
  }),
];
