/** Public addresses of uploaded images: what an address reveals, and its host. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { png } from '../../../../test/support/images.ts';
import { create } from '../../../../test/support/products.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });

interface Image {
  readonly image_id: string;
  readonly url: string;
}

const media = (imageId: string, init: RequestInit = {}) => fetch(`${app.url}/media/${imageId}`, init);
const upload = (id: string, body: Uint8Array) =>
  seller.call<Image>('POST', `/products/${id}/images`, { body, headers: { 'content-type': 'image/png' } });

test('the public address of an image reveals nothing but the image', async () => {
  const { product_id: id } = await create(seller);
  const { image_id } = (await upload(id, png())).body;
  const tail = image_id.slice('img_'.length);
  const feed = await app.app.services.withSystem('jobs', 'single', (db) =>
    app.app.services.files.put(
      db,
      { sellerId: seller.seller_id, purpose: 'feed', contentType: 'image/png', now: Date.now() },
      [Buffer.from('secret')],
    ),
  );
  const record = await seller.call<Image>('POST', `/products/${id}/images`, {
    json: { url: 'https://cdn.example.com/only-an-address.jpg' },
  });
  const ids = [
    'img_00000000000000000000000000',
    `img_${feed.file_id.slice('fil_'.length)}`,
    record.body.image_id,
    `fil_${tail}`,
    `${image_id}x`,
    image_id.toUpperCase(),
    '%00',
    '..%2f..%2fhealth',
    `img_${"'"} or true --`,
  ];
  for (const other of ids) {
    const answer = await media(other);
    expect([other, answer.status]).toEqual([other, 404]);
    expect(answer.headers.get('cache-control') ?? '').not.toContain('immutable');
  }
  for (const method of ['POST', 'DELETE', 'PUT'])
    expect((await media(image_id, { method })).status).toBe(405);
  expect((await media(image_id)).status).toBe(200);
  for (const query of ['?v=1', '?utm_source=a&utm_source=b', '?%00=%ff', '?=&&'])
    expect([query, (await media(`${image_id}${query}`)).status]).toEqual([query, 200]);
});

test('addresses of uploads follow PUBLIC_URL in products, lists, events and exports', async () => {
  const owner = await app.seller({ plan: 'Small' });
  const { product_id: id } = await create(owner, { seller_sku: 'MUG' });
  const { image_id, url } = (
    await owner.call<Image>('POST', `/products/${id}/images`, {
      body: png(),
      headers: { 'content-type': 'image/png' },
    })
  ).body;
  // As if it had been uploaded under an earlier PUBLIC_URL.
  await app.app.services.withSystem('jobs', 'single', (db) =>
    db.run({
      text: "update product set images = replace(images::text, 'spp.test', 'old.test')::jsonb where product_id = $1",
      values: [id],
    }),
  );
  const texts = [
    (await owner.call('GET', `/products/${id}`)).text,
    (await owner.call('GET', '/products')).text,
    (await owner.call('GET', `/products/${id}/images`)).text,
    (await owner.call('GET', '/products/export')).text,
    (await owner.call('GET', '/products/export?shape=store-platform')).text,
    (await owner.call('PATCH', `/products/${id}`, { json: { title: 'Blue' } })).text,
    JSON.stringify(
      await eventually(
        async () =>
          (await owner.call<{ data: { type: string }[] }>('GET', '/webhooks/events?types=product.updated'))
            .body.data,
        ({ length }) => length === 2,
      ),
    ),
  ];
  for (const text of texts) {
    expect(text).toContain(url);
    expect(text).not.toContain('/api/v1/products/');
  }
  for (const text of texts.slice(0, 6)) expect(text).not.toContain('old.test');
  // A file may name the image by its old or its new address.
  const feed = (address: string) =>
    owner.call<{ counts: Record<string, number> }>('POST', '/products/feed-runs', {
      body: Buffer.from(`seller_sku,image_urls\nMUG,${address}\n`),
      headers: { 'content-type': 'text/csv', 'idempotency-key': address },
    });
  for (const address of [url, `https://old.test/media/${image_id}`])
    expect((await feed(address)).body.counts).toMatchObject({ rows: 1, unchanged: 1 });
  const stolen = await create(owner, { seller_sku: 'OTHER' });
  const claim = await owner.call('PATCH', `/products/${stolen.product_id}`, { json: { images: [{ url }] } });
  expect([claim.status, claim.body]).toMatchObject([422, { detail: [{ type: 'url_invalid' }] }]);
  const shape = await owner.call('GET', '/products/export?shape=store-platform');
  const imported = await owner.call<{ counts: Record<string, number> }>('POST', '/products/import-profiles', {
    body: Buffer.from(shape.text),
    headers: { 'content-type': 'text/csv', 'idempotency-key': 'store' },
  });
  expect(imported.body.counts).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
});
