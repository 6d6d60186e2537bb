import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { gif, jpeg, png, webp } from '../../../../test/support/images.ts';
import { type Body, create } from '../../../../test/support/products.ts';
import { purgeExpiredFiles } from '../../../platform/files/file-lifetimes.ts';
import { fileIdOf } from '../actions/keep-image-files.ts';

const MAX_IMAGE_BYTES = 200_000;
const app = await startTestApp({ MAX_IMAGE_BYTES: String(MAX_IMAGE_BYTES) });
const seller = await app.seller({ plan: 'Small' });
const other = await app.seller();

interface Image {
  readonly image_id: string;
  readonly url: string;
  readonly position: number;
  readonly sha256: string | null;
}
interface ImagePage {
  readonly data: Image[];
}

const media = (imageId: string, init: RequestInit = {}) => fetch(`${app.url}/media/${imageId}`, init);
const upload = (id: string, body: Uint8Array, type = 'image/png', query = '') =>
  seller.call<Image>('POST', `/products/${id}/images${query}`, {
    body,
    headers: { 'content-type': type },
  });

test('201 for a URL; the image is in the list and in the product', async () => {
  const { product_id: id } = await create(seller);
  const url = 'https://cdn.example.com/a.jpg';
  const first = await seller.call<Image>('POST', `/products/${id}/images`, { json: { url, alt: 'A mug' } });
  expect(first.status).toBe(201);
  expect(first.body).toMatchObject({ url, alt: 'A mug', position: 1, width: null, sha256: null });
  const second = await seller.call<Image>('POST', `/products/${id}/images`, {
    json: { url: 'https://cdn.example.com/b.jpg', position: 1 },
  });
  expect(second.body.position).toBe(1);
  const list = await seller.call<ImagePage>('GET', `/products/${id}/images`);
  expect(list.body.data.map((image) => [image.image_id, image.position])).toEqual([
    [second.body.image_id, 1],
    [first.body.image_id, 2],
  ]);
  const product = await seller.call<Body>('GET', `/products/${id}`);
  expect(product.body['images']).toEqual(list.body.data);
  expect(product.headers.get('etag')).toBe(second.headers.get('etag'));
});

test('412 for an image of a stale version of the product, as JSON or as bytes', async () => {
  const { product_id: id } = await create(seller);
  const { headers } = await seller.call('GET', `/products/${id}`);
  const stale = { 'if-match': headers.get('etag') ?? '' };
  const json = { url: 'https://cdn.example.com/a.jpg' };
  const add = (more: object) => seller.call('POST', `/products/${id}/images`, more);
  expect((await add({ json, headers: stale })).status).toBe(201);
  const late = { url: 'https://cdn.example.com/b.jpg', position: 1 };
  expect((await add({ json: late, headers: stale })).status).toBe(412);
  expect((await add({ body: png(), headers: { ...stale, 'content-type': 'image/png' } })).status).toBe(412);
  const { body } = await seller.call<ImagePage>('GET', `/products/${id}/images`);
  expect(body.data.map(({ url }) => url)).toEqual([json.url]);
});

test.each([
  ['image/png', png(100, 80)],
  ['image/jpeg', jpeg(100, 80)],
  ['image/gif', gif(100, 80)],
  ['image/webp', webp(100, 80)],
])('201 for an uploaded %s; its download has the same bytes', async (type, bytes) => {
  const { product_id: id } = await create(seller);
  const answer = await upload(id, bytes, type, '?alt=Blue%20mug');
  expect(answer.status).toBe(201);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { image_id } = answer.body;
  expect(image_id).toMatch(/^img_[0-9a-z]{26}$/);
  const url = `http://spp.test/media/${image_id}`;
  const shown = {
    url,
    alt: 'Blue mug',
    width: 100,
    height: 80,
    content_type: type,
    bytes: bytes.length,
    sha256,
  };
  expect(answer.body).toMatchObject(shown);
  expect(answer.headers.get('location')).toBe(url);
  // Without a token: buyers and the marketplace have none.
  const content = await media(image_id);
  expect(content.status).toBe(200);
  expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
  expect(Object.fromEntries(content.headers)).toMatchObject({
    'content-type': type,
    'content-length': String(bytes.length),
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'cross-origin',
    etag: `"${sha256}"`,
  });
  expect(content.headers.get('set-cookie')).toBeNull();
  const again = await media(image_id, { headers: { 'if-none-match': content.headers.get('etag') ?? '' } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  const head = await media(image_id, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
});

test('a large image is stored in chunks and downloaded completely', async () => {
  const { product_id: id } = await create(seller);
  const noise = Buffer.concat([jpeg().subarray(0, -2), Buffer.alloc(150_000, 7), Buffer.from([0xff, 0xd9])]);
  const answer = await upload(id, noise, 'image/jpeg');
  expect(answer.status).toBe(201);
  const content = await media(answer.body.image_id);
  expect(Buffer.from(await content.arrayBuffer()).equals(noise)).toBe(true);
});

test.each([
  ['another type than the Content-Type', png(), 'image/jpeg', 'image_type_mismatch'],
  ['an SVG sent as a PNG', Buffer.from('<svg onload="alert(1)"/>'), 'image/png', 'image_type_unknown'],
  ['a truncated file', png().subarray(0, 60), 'image/png', 'image_truncated'],
  [
    'an image with a script after it',
    Buffer.concat([gif(), Buffer.from('<script>')]),
    'image/gif',
    'image_trailing_bytes',
  ],
  ['a decompression bomb', png(60_000, 60_000, { width: 1, height: 1 }), 'image/png', 'image_too_large'],
  ['one pixel', png(1, 1), 'image/png', 'image_too_small'],
  ['an empty file', Buffer.alloc(0), 'image/png', 'image_type_unknown'],
])('422 for %s', async (_name, bytes, type, code) => {
  const { product_id: id } = await create(seller);
  const answer = await upload(id, bytes, type);
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({ detail: [{ loc: ['body'], type: code }] });
});

test.each([['image/svg+xml'], ['application/octet-stream'], ['text/html']])('415 for %s', async (type) => {
  const { product_id: id } = await create(seller);
  const answer = await upload(id, png(), type);
  expect(answer.status).toBe(415);
  expect(answer.body).toMatchObject({ code: 'unsupported_media_type', allowed: expect.anything() });
});

test('413 above MAX_IMAGE_BYTES, with and without Content-Length', async () => {
  const { product_id: id } = await create(seller);
  const big = Buffer.concat([png(), Buffer.alloc(MAX_IMAGE_BYTES)]);
  expect((await upload(id, big)).status).toBe(413);
  const url = new URL(`${app.url}/api/v1/products/${id}/images`);
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${seller.token}`,
          'content-type': 'image/png',
          'transfer-encoding': 'chunked',
        },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    sent.on('error', reject);
    sent.write(big.subarray(0, 100_000));
    sent.write(big.subarray(100_000));
    sent.end();
  });
  expect(status).toBe(413);
});

test.each([
  ['no URL', { alt: 'x' }, 'missing'],
  ['an invalid URL', { url: 'javascript:alert(1)' }, 'url_invalid'],
  ['a path of this service', { url: '/media/img_00000000000000000000000000' }, 'url_invalid'],
  [
    'the address of another product’s upload',
    { url: 'http://spp.test/media/img_00000000000000000000000000' },
    'url_invalid',
  ],
  ['a password in the URL', { url: 'https://u:p@example.com/a.png' }, 'url_invalid'],
  ['an unknown key', { url: 'https://example.com/a.png', size: 3 }, 'extra_forbidden'],
])('422 for JSON with %s', async (_name, json, type) => {
  const { product_id: id } = await create(seller);
  const answer = await seller.call('POST', `/products/${id}/images`, { json });
  expect(answer.status).toBe(422);
  expect(answer.body).toMatchObject({ detail: [{ type }] });
});

test('409 image_exists for a repeated URL, 409 image_limit above the limit', async () => {
  const images = Array.from({ length: 249 }, (_, n) => ({ url: `https://cdn.example.com/${n}.jpg` }));
  const { product_id: id } = await create(seller, { images });
  const add = (url: string) => seller.call('POST', `/products/${id}/images`, { json: { url } });
  expect(await add('https://cdn.example.com/0.jpg')).toMatchObject({
    status: 409,
    body: { code: 'image_exists' },
  });
  expect((await add('https://cdn.example.com/last.jpg')).status).toBe(201);
  const full = await add('https://cdn.example.com/more.jpg');
  expect(full).toMatchObject({ status: 409, body: { code: 'image_limit', limit: 250 } });
});

test('a repeated key adds one image; another body with the key gets 409', async () => {
  const { product_id: id } = await create(seller);
  const send = (body: Uint8Array) =>
    seller.call<Image>('POST', `/products/${id}/images`, {
      body,
      headers: { 'content-type': 'image/png', 'idempotency-key': 'image-1' },
    });
  const first = await send(png());
  const again = await send(png());
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.text).toBe(first.text);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  expect(await send(png(70, 70))).toMatchObject({ status: 409, body: { code: 'idempotency_key_reused' } });
  const list = await seller.call<ImagePage>('GET', `/products/${id}/images`);
  expect(list.body.data).toHaveLength(1);
});

test('204 removes one image or all; the others are renumbered', async () => {
  const { product_id: id } = await create(seller);
  const images = [
    await upload(id, png(60, 60)),
    await upload(id, png(70, 70)),
    await upload(id, png(80, 80)),
  ];
  const ids = images.map(({ body }) => body.image_id);
  const removed = await seller.call('DELETE', `/products/${id}/images/${ids[0]}`);
  expect(removed.status).toBe(204);
  expect((await seller.call('DELETE', `/products/${id}/images/${ids[0]}`)).status).toBe(404);
  const [gone, kept] = [await media(String(ids[0])), await media(String(ids[1]))];
  expect([gone.status, kept.status]).toEqual([404, 200]);
  const list = await seller.call<ImagePage>('GET', `/products/${id}/images`);
  expect(list.body.data.map((image) => [image.image_id, image.position])).toEqual([
    [ids[1], 1],
    [ids[2], 2],
  ]);
  expect((await seller.call('DELETE', `/products/${id}/images`)).status).toBe(204);
  expect((await seller.call<ImagePage>('GET', `/products/${id}/images`)).body.data).toEqual([]);
});

test('PATCH reorders uploads by their addresses and removes missing ones', async () => {
  const { product_id: id } = await create(seller);
  const [a, b] = [(await upload(id, png(60, 60))).body, (await upload(id, png(70, 70))).body];
  const answer = await seller.call<{ images: Image[] }>('PATCH', `/products/${id}`, {
    json: {
      images: [{ ...b, position: 1 }, { ...a, position: 2 }, { url: 'https://cdn.example.com/c.jpg' }],
    },
  });
  expect(answer.status).toBe(200);
  expect(answer.body.images.map(({ image_id }) => image_id).slice(0, 2)).toEqual([b.image_id, a.image_id]);
  const foreign = await create(seller);
  const stolen = await seller.call('PATCH', `/products/${foreign.product_id}`, {
    json: { images: [{ url: a.url }] },
  });
  expect(stolen.status).toBe(422);
});

test('404 on every image route is the same for another seller’s id and a random id', async () => {
  const { product_id: id } = await create(seller);
  const { image_id } = (await upload(id, png())).body;
  const ask = (product: string) => [
    other.call('GET', `/products/${product}/images`, { headers: { 'x-request-id': 'same' } }),
    other.call('POST', `/products/${product}/images`, {
      body: png(),
      headers: { 'content-type': 'image/png', 'x-request-id': 'same' },
    }),
    other.call('DELETE', `/products/${product}/images`, { headers: { 'x-request-id': 'same' } }),
    other.call('DELETE', `/products/${product}/images/${image_id}`, { headers: { 'x-request-id': 'same' } }),
  ];
  const foreign = await Promise.all(ask(id));
  const unknown = 'prd_00000000000000000000000000';
  const random = await Promise.all(ask(unknown));
  for (const [index, answer] of foreign.entries()) {
    expect(answer.status).toBe(404);
    expect(answer.text).toBe(random[index]?.text.replace(unknown, id));
  }
  expect((await seller.call<ImagePage>('GET', `/products/${id}/images`)).body.data).toHaveLength(1);
});

test.each([['alt=%00'], ['alt=a%0Ab'], [`alt=${'x'.repeat(513)}`], ['position=0'], ['size=1']])(
  '422 for an upload with ?%s',
  async (query) => {
    const { product_id: id } = await create(seller);
    expect((await upload(id, png(), 'image/png', `?${query}`)).status).toBe(422);
  },
);

test('the bytes of a removed image are deleted after a while; images in use stay', async () => {
  const { product_id: id } = await create(seller);
  const kept = (await upload(id, png(60, 60))).body.image_id;
  const dropped = (await upload(id, png(70, 70))).body.image_id;
  await seller.call('DELETE', `/products/${id}/images/${dropped}`);
  const { services } = app.app;
  const purge = (days: number) =>
    services.withSystem('retention', 'single', (db) =>
      purgeExpiredFiles(db, 'image', new Date(services.now() + days * 86_400_000).toISOString()),
    );
  const left = () =>
    services.withSystem('jobs', 'read', (db) =>
      db.all<{ file_id: string }>({
        text: 'select file_id from file where file_id = any($1) order by file_id',
        values: [[fileIdOf(kept), fileIdOf(dropped)]],
      }),
    );
  await purge(29);
  expect(await left()).toHaveLength(2);
  await purge(31);
  expect(await left()).toEqual([{ file_id: fileIdOf(kept) }]);
});

test('a new image submits a rejected product again', async () => {
  const { product_id: id } = await create(seller);
  await app.events({
    specversion: '1.0',
    id: `refuse-${id}`,
    source: '/test',
    type: 'marketplace.product.curation_decided',
    subject: id,
    sellerid: seller.seller_id,
    time: new Date(app.app.services.now()).toISOString(),
    data: { decision: 'rejected', reasons: [{ code: 'image_quality' }] },
  });
  await upload(id, png());
  const product = await seller.call<Body>('GET', `/products/${id}`);
  expect(product.body['curation']).toEqual({ state: 'pending', reasons: [] });
});
