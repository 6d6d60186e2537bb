import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  codes,
  type FeedFailure,
  feed,
  outcomes,
  type Run,
  rowsOf,
  type Sending,
} from '../../../../../test/support/feeds.ts';
import { runOn } from '../../../../../test/support/test-server.ts';

const app = await startTestApp();
const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../../../test/fixtures/profiles/${name}`, import.meta.url));

const IMPORT = { path: '/products/import-profiles' };
const send = (seller: TestSeller, file: string | Uint8Array | FormData, sending: Sending = {}) =>
  feed<Run & FeedFailure>(seller, file, { ...IMPORT, ...sending });

interface Detection {
  readonly profile: string | null;
  readonly [key: string]: unknown;
}
const detect = (seller: TestSeller, file: string | Uint8Array | FormData, sending: Sending = {}) =>
  feed<Detection>(seller, file, { path: '/products/import-profiles/detect', ...sending });

const STORE = fixture('store-generation-a.csv');

test('402 on a plan without imports, before the file is checked; every plan has detection', async () => {
  const free = await app.seller();
  const answer = await send(free, 'nothing that any profile knows');
  expect(answer.status).toBe(402);
  expect(answer.body).toMatchObject({
    error: 'feature_not_available',
    feature_name: 'import_profiles',
    tier: 'Free',
    upgrade_url: '/settings/plan',
  });
  const detected = await detect(free, STORE);
  expect([detected.status, detected.body.profile]).toEqual([200, 'store_platform_products']);
});

test('detection returns the profile, its evidence and a sample, and stores nothing', async () => {
  const seller = await app.seller();
  const { body } = await detect(seller, STORE);
  expect(body).toMatchObject({
    profile: 'store_platform_products',
    generation: 'A',
    confidence: expect.any(Number),
    encoding: 'utf-8',
    delimiter: ',',
    header_row: 1,
    rows: expect.any(Number),
    columns: { matched: expect.any(Array), missing: expect.any(Array), unknown: expect.any(Array) },
    candidates: expect.any(Array),
    near_miss: null,
    warnings: expect.any(Array),
    sample: expect.any(Array),
  });
  expect((await seller.call<{ data: Run[] }>('GET', '/products/feed-runs')).body.data).toEqual([]);
});

test.each([
  ['a workbook', 'PK\u0003\u0004', /Excel/],
  ['a PDF', '%PDF-1.4 x', /PDF/],
  ['a web page', '<!doctype html><html></html>', /web page/],
])('415 with the reason for %s, by detection and import', async (_name, file, reason) => {
  const seller = await app.seller({ plan: 'Small' });
  for (const answer of [await detect(seller, file), await send(seller, file)]) {
    expect(answer.status).toBe(415);
    expect(answer.body).toMatchObject({
      error: 'feed_content_type',
      code: 'file_type_unsupported',
      detail: expect.stringMatching(reason),
      detection: { profile: null, encoding: null },
    });
  }
});

test('an import is a feed run with detection and evidence; it can be reverted, and sent again it changes nothing', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const answer = await send(seller, STORE, { key: 'import' });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    kind: 'profile_import',
    mode: 'upsert',
    status: 'succeeded',
    idempotency_key: 'import',
    source: { profile: 'store_platform_products' },
    detection: { answer: { profile: 'store_platform_products' } },
  });
  expect(answer.text).not.toContain('header_record');
  expect(outcomes(answer.body.row_results)).toEqual([
    'created',
    'created',
    'merged',
    'created',
    'created',
    'staged',
  ]);
  const products = await catalogueOf(seller);
  const again = await applied(seller, STORE, IMPORT);
  expect(again.counts).toMatchObject({ rows: 6, unchanged: 5, merged: 1 });
  expect(await catalogueOf(seller)).toEqual(products);
  for (const product of products.values())
    expect(product).toMatchObject({ source: { origin: 'profile_import' } });
  const replay = await send(seller, STORE, { key: 'import' });
  expect([replay.text, replay.headers.get('idempotent-replayed')]).toEqual([answer.text, 'true']);
  const revert = await seller.call('POST', `/products/feed-runs/${answer.body.run_id}/revert`);
  expect(revert.body).toMatchObject({ counts: { deactivated: 5, ignored: 1 } });
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
});

test('raw, compressed and multipart files give the same result without a key', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const form = new FormData();
  form.set('file', new File([new Uint8Array(STORE)], 'products_export_1.csv', { type: 'text/csv' }));
  const answer = await seller.call<Run>('POST', '/products/import-profiles', { body: form });
  expect(answer.status).toBe(201);
  expect(answer.body.source).toMatchObject({ filename: 'products_export_1.csv' });
  const zipped = await applied(seller, gzipSync(STORE), {
    ...IMPORT,
    headers: { 'content-encoding': 'gzip' },
  });
  expect(zipped.counts.unchanged).toBe(5);
});

test('a given profile that the file does not match is rejected; the matching profile is accepted', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const wrong = await send(seller, STORE, { query: 'profile=auction_file_exchange' });
  expect(wrong.status).toBe(422);
  expect(wrong.body).toMatchObject({
    error: 'feed_validation_failed',
    code: 'profile_mismatch',
    detection: { profile: 'store_platform_products' },
  });
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
  expect((await send(seller, STORE, { query: 'profile=store_platform_products' })).status).toBe(201);
  expect((await send(seller, STORE, { query: 'profile=amazon' })).status).toBe(422);
});

test('422 for a file that lacks columns of the most similar profile names them', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const file = fixture('near-store-without-title.csv');
  const answer = await send(seller, file);
  expect([answer.status, answer.body.code]).toEqual([422, 'profile_not_recognised']);
  const near_miss = {
    profile: 'store_platform_products',
    missing: expect.arrayContaining(['title']),
    message: expect.any(String),
  };
  expect(answer.body).toMatchObject({ detection: { profile: null, near_miss } });
  expect((await detect(seller, file)).body).toMatchObject({ profile: null, near_miss });
});

test("422 for a file with the service's own columns names the route of feeds", async () => {
  const seller = await app.seller({ plan: 'Big' });
  const answer = await send(seller, fixture('near-own-list.csv'));
  expect([answer.status, answer.body.code]).toEqual([422, 'profile_not_recognised']);
  expect(answer.body.detail).toContain('/api/v1/products/feed-runs');
});

test.each([
  ['other-fulfilment-inventory.txt', 'text/tab-separated-values', 'shape_not_supported'],
  ['other-handmade-orders.csv', 'text/csv', 'personal_data_refused'],
  ['other-inventory-export.csv', 'text/csv', 'shape_not_supported'],
  ['other-operator-offers.csv', 'text/csv', 'shape_not_supported'],
])('%s is recognised and rejected with its own reason', async (name, type, code) => {
  const seller = await app.seller({ plan: 'Big' });
  const answer = await send(seller, fixture(name), { type });
  expect([answer.status, answer.body.code]).toEqual([422, code]);
  expect(answer.body.detail).not.toBe('');
});

test('an empty file, a binary file and a header alone are rejected', async () => {
  const seller = await app.seller({ plan: 'Big' });
  for (const [file, status] of [
    ['', 422],
    ['%PDF-1.7', 415],
    ['PK\u0003\u0004', 415],
    ['Handle,Title,Variant SKU,Variant Price,Vendor,Body (HTML),Option1 Name,Option1 Value\n', 422],
    ['a,b\n1,2\n', 422],
    [Buffer.alloc(1_000_000, '"'), 422],
    [Buffer.alloc(1_000_000, 0), 422],
  ] as const) {
    const answer = await send(seller, file);
    expect([String(file).slice(0, 20), answer.status]).toEqual([
      String(file).slice(0, 20),
      expect.toBeOneOf([status, 415]),
    ]);
    expect(answer.body.error).toMatch(/^feed_/);
    expect([200, 415, 422]).toContain((await detect(seller, file)).status);
  }
});

test('the rules of all fields apply to export files', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const header = 'Handle,Title,Body (HTML),Vendor,Option1 Name,Option1 Value,Variant SKU,Variant Price\n';
  const row = (sku: string, title: string, price: string): string =>
    `${sku.slice(0, 20)},${title},,V,Title,Default Title,${sku},${price}\n`;
  const answer = await send(
    seller,
    header +
      row('OK', 'Good', '5') +
      row('NUL', 'a\u0000b', '5') +
      row('FREE', 'Free', '0.00') +
      row('x'.repeat(200), 'Long', '5'),
  );
  expect([answer.status, answer.body.counts.rows]).toEqual([201, 4]);
  expect(outcomes(answer.body.row_results).slice(0, 3)).toEqual(['staged', 'rejected', 'staged']);
  expect(codes(answer.body.row_results)[1]).toContain('control_chars');
  expect(codes(answer.body.row_results)[2]).toContain('price_below_minimum');
});

test('a second header rejects the file unless the caller has chosen how to read on', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await runOn(app.database.adminUrl, (client) =>
    client.query("update seller set currency = 'USD' where seller_id = $1", [seller.seller_id]),
  );
  const file = fixture('auction-second-header.csv');
  const stopped = await send(seller, file);
  expect([stopped.status, stopped.body.code]).toEqual([422, 'second_header']);
  for (const choice of ['keep', 'remap']) {
    const answer = await send(seller, file, { query: `on_second_header=${choice}&dry_run=true` });
    expect([choice, answer.status, answer.body.counts.rejected]).toEqual([choice, 201, 0]);
  }
  expect((await send(seller, file, { query: 'on_second_header=guess' })).status).toBe(422);
});

test('handmade listings are exempt, or identified by shop and SKU when the caller gives the shop name', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const file = fixture('handmade-au.csv');
  const identities = (run: Run) =>
    run.row_results.flatMap(({ changes }) =>
      changes.filter(({ field }) => field === 'identity').map(({ after }) => after),
    );
  const stated = await send(seller, file, { query: 'dry_run=true' });
  expect(identities(stated.body)[0]).toMatchObject({ strategy: 'exempt', reason: 'handmade' });
  const chosen = await send(seller, file, { query: 'dry_run=true&shop_name=Mud%20Works' });
  expect(identities(chosen.body)).toContainEqual(
    expect.objectContaining({ strategy: 'mpn_brand', brand: 'Mud Works' }),
  );
  expect((await send(seller, file, { query: 'shop_name=' })).status).toBe(422);
});

test('rejected rows come back in the columns of the export and can be imported again', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const header = 'Handle,Title,Body (HTML),Vendor,Option1 Name,Option1 Value,Variant SKU,Variant Price\n';
  const run = await applied(
    seller,
    `${header}mug,Mug,"<p>One, ""two""</p>",V,Title,Default Title,S-1,5\ncup,Cup,,V,Title,Default Title,S-2,WRONG\n`,
    IMPORT,
  );
  expect(run.counts).toMatchObject({ rows: 2, rejected: 1 });
  const file = await seller.call(
    'GET',
    `/products/feed-runs/${run.run_id}/row-results?outcome=rejected&format=csv`,
  );
  expect(file.text.split('\r\n')[0]).toBe(`_codes,_messages,${header.trim()}`);
  const mended = await applied(seller, file.text.replace('WRONG', '7'), IMPORT);
  expect(mended.counts).toMatchObject({ rows: 1, rejected: 0 });
});

test('findings have the columns and amounts of the file, without repeats', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const header = 'Handle,Title,Vendor,Variant SKU,Variant Price,Variant Barcode,Image Src\n';
  const { run_id } = await applied(
    seller,
    `${header}a,A,V,S-1,5.00,,https://cdn.example.com/a.jpg
b,B,V,S-2,0.00,,
c,C,V,S-3,-5,,
d,D,generic,S-4,5,,not an address
e,E,V,S-5,5,4006381333931,
f,F,V,S-6,five,,
`,
    IMPORT,
  );
  const findings = async (run: string, severities: readonly string[]) =>
    (await rowsOf(seller, run)).map(({ messages }) =>
      messages
        .filter(({ severity }) => severities.includes(severity))
        .map(({ code, column, value_excerpt }) => [code, column, value_excerpt]),
    );
  expect(await findings(run_id, ['error'])).toEqual([
    [],
    [],
    [['price_below_minimum', 'Variant Price', '-5.00']],
    [['url_invalid', 'Image Src', 'not an address']],
    [],
    [['price_invalid', 'Variant Price', 'five']],
  ]);
  // A price that cannot be used is not called missing too.
  expect((await findings(run_id, ['info'])).flat()).toEqual([]);
  const warnings = await findings(run_id, ['warning']);
  expect(warnings[1]).toContainEqual(['price_below_minimum', 'Variant Price', '0.00']);
  expect(warnings[4]).toEqual([['gtin_textbook_example', 'Variant Barcode', '4006381333931']]);

  const listings = 'seller-sku\tasin1\titem-name\nUNKNOWN\tB0\tName\n';
  const unknown = await send(seller, listings, { type: 'text/plain' });
  expect(unknown.body.row_results[0]?.messages).toMatchObject([
    { code: 'sku_not_found', column: 'seller-sku' },
  ]);

  const draft = 'Action,CustomLabel,Category,Title,ConditionID,Format,StartPrice,Quantity\n';
  const twice = await send(
    seller,
    `${draft}Add,E-1,1,T,1000,FixedPrice,5,1\nAdd,E-1,1,T,1000,FixedPrice,5,-1\n`,
  );
  expect(twice.body.row_results[1]?.messages.filter(({ severity }) => severity === 'error')).toMatchObject([
    { code: 'sku_duplicate_in_file', column: 'CustomLabel' },
    { code: 'stock_negative', column: 'Quantity' },
  ]);
});
