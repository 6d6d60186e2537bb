import Type from 'typebox';
import { coreErrors, fail, requireFound } from '../../../kernel/errors.ts';
import { Page } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { checkIfMatch } from '../../../platform/http/etag.ts';
import { reads, writes } from '../../../platform/rest/access.ts';
import { keyed } from '../../../platform/rest/keyed.ts';
import { addImageRecord, addUploadedImage } from '../actions/add-image.ts';
import { changeImages } from '../actions/change-images.ts';
import { shopOf } from '../actions/shop-of.ts';
import { IMAGES_MAX } from '../domain/fields/limits.ts';
import { showImages } from '../domain/images/media-url.ts';
import type { ProductImage, StoredProduct } from '../domain/product.ts';
import { imageIdOf, productIdOf } from '../domain/product-id.ts';
import { errors, productRouteErrors } from '../errors.ts';
import { PRODUCT_EXAMPLE } from '../schemas/examples.ts';
import { productParams } from '../schemas/parts.ts';
import { Image } from '../schemas/product.ts';
import { productTag, shownProductTag } from '../schemas/to-wire.ts';
import { productSettings } from '../settings.ts';
import { loadProduct } from '../store/load-products.ts';
import { IMAGE_CONTENT_TYPES, IMAGE_MEDIA, receiveImage } from './receive-image.ts';

const read = reads('catalogue');
const write = writes('catalogue');

const imageParams = Type.Object({
  ...productParams.properties,
  image_id: Type.String({ description: `Identifier of the image, \`${'img_'}…\`` }),
});
const removed = { status: 204, description: 'Removed' };
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
    tagged: true,
    summary: 'List the images of a product',
    description: 'Lists the images in the order of their positions.',
    access: read,
    params: productParams,
    ok: okJson(
      'All images in the order in which buyers see them',
      Page(Image),
      pageOf(PRODUCT_EXAMPLE.images),
    ),
    errors: [coreErrors.not_found],
    handler: async (ctx, { params }) => {
      const product = requireFound(await loadProduct(ctx, productIdOf(params)));
      const shop = await shopOf(ctx);
      const images = showImages(product.images, shop.media_url);
      return { body: pageOf(images), etag: shownProductTag(product, shop) };
    },
  }),
  defineRoute({
    id: 'products.images.create',
    method: 'POST',
    path: '/{product_id}/images',
    summary: 'Add an image',
    description:
      'Send the URL of an image as JSON (`{"url","alt","position"}`), or the bytes of an image. The service reads the type and the dimensions of an upload from its bytes.',
    access: write,
    params: productParams,
    query: Type.Object({
      alt: Type.Optional(
        Type.String({ maxLength: 512, description: 'Alternative text of an upload; JSON has its own `alt`' }),
      ),
      position: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Position among the images, from 1; defaults to the end' }),
      ),
    }),
    body: {
      kind: 'stream',
      contentTypes: IMAGE_CONTENT_TYPES,
      description: 'JSON with a URL, or the bytes of a PNG, JPEG, GIF or WebP image',
      example: '{"url":"https://cdn.example.com/mug-blue.jpg","alt":"Blue mug"}',
      media: IMAGE_MEDIA,
    },
    tx: 'own',
    ok: okJson('The added image; `Location` is its address', Image, example, 201),
    errors: [...productRouteErrors, errors.image_exists, errors.image_limit],
    handler: async (ctx, request) => {
      const { params, query, headers, key, signal } = request;
      const productId = productIdOf(params);
      const { config, files } = ctx.services;
      const received = await receiveImage(request, productSettings.of(config).MAX_IMAGE_BYTES);
      const check = (before: StoredProduct) => checkIfMatch(headers, productTag(before));
      return keyed(ctx, { key: key.including(received.bytes), signal }, async (acting) => {
        const { image, product } =
          received.kind === 'record'
            ? await addImageRecord(acting, productId, received.record, check)
            : await addUploadedImage(
                acting,
                files,
                productId,
                { ...received, alt: query.alt ?? null, position: query.position },
                check,
              );
        const etag = shownProductTag(product, await shopOf(acting));
        return { status: 201, headers: { location: image.url }, etag, body: image };
      });
    },
  }),
  defineRoute({
    id: 'products.images.delete',
    method: 'DELETE',
    path: '/{product_id}/images/{image_id}',
    summary: 'Remove an image',
    description: 'Moves later images up, so that positions have no gaps.',
    access: { ...write, idempotency: 'none' },
    params: imageParams,
    ok: [removed],
    errors: productRouteErrors,
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
    description: 'Keeps the product and its other fields.',
    access: { ...write, idempotency: 'none' },
    params: productParams,
    ok: [removed],
    errors: productRouteErrors,
    handler: async (ctx, { params, headers }) => {
      await changeImages(ctx, productIdOf(params), 'image_removed', (before) => {
        checkIfMatch(headers, productTag(before));
        return [];
      });
      return { status: 204 };
    },
  }),
];
