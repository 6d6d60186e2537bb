import Type from 'typebox';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { Page } from '../../../kernel/schema.ts';
import { defineRoute } from '../../../platform/http/define-route.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { keyed } from '../../../platform/rest/keyed.ts';
import { addImageRecord, addUploadedImage } from '../actions/add-image.ts';
import { changeImages } from '../actions/change-images.ts';
import { fileIdOf } from '../actions/keep-image-files.ts';
import { IMAGES_MAX } from '../domain/fields/limits.ts';
import type { ProductImage } from '../domain/product.ts';
import { imageIdOf, productIdOf } from '../domain/product-id.ts';
import { errors, ofProduct } from '../errors.ts';
import { PRODUCT_EXAMPLE } from '../schemas/examples.ts';
import { productParams } from '../schemas/parts.ts';
import { Image } from '../schemas/product.ts';
import { productTag } from '../schemas/to-wire.ts';
import { loadProduct } from '../store/load-products.ts';
import { IMAGE_CONTENT_TYPES, IMAGE_MEDIA, receiveImage } from './receive-image.ts';

const read = reads('catalogue');
const write = writes('catalogue');

const imageParams = Type.Object({
  ...productParams.properties,
  image_id: Type.String({ description: `Identifier of the image, \`${'img_'}…\`` }),
});
const gone = { status: 204, description: 'Removed' };
const [example] = PRODUCT_EXAMPLE.images;

/** A product has few enough images for one page. */
const pageOf = (images: readonly ProductImage[]) => ({
  data: images,
  page: { limit: IMAGES_MAX, next_cursor: null, has_more: false },
});

export const imageRoutes = [
  defineRoute({
    id: 'products.images.list',
    method: 'GET',
    path: '/{product_id}/images',
    summary: 'List the images of a product',
    access: read,
    params: productParams,
    ok: [
      {
        status: 200,
        description: 'All images, in their order',
        schema: Page(Image),
        example: pageOf(PRODUCT_EXAMPLE.images),
      },
    ],
    errors: [coreErrors.not_found],
    handler: async (ctx, { params }) => {
      const product = await loadProduct(ctx.db, productIdOf(params));
      if (product === undefined) throw fail(coreErrors.not_found);
      return { body: pageOf(product.images), etag: productTag(product) };
    },
  }),
  defineRoute({
    id: 'products.images.create',
    method: 'POST',
    path: '/{product_id}/images',
    summary: 'Add an image',
    description:
      'Either a record with the address of an image (`application/json`: `{"url","alt","position"}`), or the bytes of one. Type and dimensions of uploaded bytes are read from the bytes themselves.',
    access: write,
    params: productParams,
    query: Type.Object({
      alt: Type.Optional(
        Type.String({ maxLength: 512, description: 'Alternative text of an upload; a record has its own' }),
      ),
      position: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Place among the images, from 1; defaults to the last' }),
      ),
    }),
    body: {
      kind: 'stream',
      contentTypes: IMAGE_CONTENT_TYPES,
      description: 'A record, or the bytes of a PNG, JPEG, GIF or WebP',
      example: '{"url":"https://cdn.example.com/mug-blue.jpg","alt":"Blue mug"}',
      media: IMAGE_MEDIA,
    },
    tx: 'own',
    ok: [
      {
        status: 201,
        description: 'Added; `Location` names it',
        schema: Image,
        example,
      },
    ],
    errors: [coreErrors.not_found, errors.image_exists, errors.image_limit],
    handler: async (ctx, request) => {
      const { params, query, key } = request;
      const productId = productIdOf(params);
      const { config, files } = ctx.services;
      const received = await receiveImage(request, config.MAX_IMAGE_BYTES);
      return keyed(ctx, key.including(received.bytes), async (acting) => {
        const { image, product } =
          received.kind === 'record'
            ? await addImageRecord(acting, productId, received.record)
            : await addUploadedImage(acting, files, productId, {
                ...received,
                alt: query.alt ?? null,
                position: query.position,
              });
        const location = `${request.path}/${image.image_id}/content`;
        return { status: 201, headers: { location }, etag: productTag(product), body: image };
      });
    },
  }),
  defineRoute({
    id: 'products.image_content.get',
    method: 'GET',
    path: '/{product_id}/images/{image_id}/content',
    summary: 'Read the bytes of an uploaded image',
    access: read,
    params: imageParams,
    ok: [
      { status: 200, description: 'The image as it was sent', contentTypes: IMAGE_CONTENT_TYPES.slice(1) },
    ],
    errors: [coreErrors.not_found],
    handler: async (ctx, { params }) => {
      const product = await loadProduct(ctx.db, productIdOf(params));
      const image = product?.images.find(({ image_id }) => image_id === imageIdOf(params));
      if (image?.sha256 == null || image.content_type === null) throw fail(coreErrors.not_found);
      const file = await ctx.services.files.stat(ctx.db, fileIdOf(image.image_id));
      if (file === undefined) throw fail(coreErrors.not_found);
      return {
        etag: image.sha256,
        headers: {
          'content-length': String(file.bytes),
          'cache-control': 'private, max-age=86400',
          'content-disposition': 'inline',
        },
        content: { type: image.content_type, data: ctx.services.files.read(ctx.db, file.file_id) },
      };
    },
  }),
  defineRoute({
    id: 'products.images.delete',
    method: 'DELETE',
    path: '/{product_id}/images/{image_id}',
    summary: 'Remove an image',
    access: { ...write, idempotency: 'none' },
    params: imageParams,
    ok: [gone],
    errors: ofProduct,
    handler: async (ctx, { params, headers }) => {
      const image_id = imageIdOf(params);
      await changeImages(ctx, productIdOf(params), 'image_removed', (before) => {
        const left = before.images.filter((image) => image.image_id !== image_id);
        if (left.length === before.images.length) throw fail(coreErrors.not_found);
        checkIfMatch(headers, productTag(before));
        return left;
      });
      return { status: 204 };
    },
  }),
  defineRoute({
    id: 'products.images.clear',
    method: 'DELETE',
    path: '/{product_id}/images',
    summary: 'Remove all images of a product',
    access: { ...write, idempotency: 'none' },
    params: productParams,
    ok: [gone],
    errors: ofProduct,
    handler: async (ctx, { params, headers }) => {
      await changeImages(ctx, productIdOf(params), 'image_removed', (before) => {
        checkIfMatch(headers, productTag(before));
        return [];
      });
      return { status: 204 };
    },
  }),
];
