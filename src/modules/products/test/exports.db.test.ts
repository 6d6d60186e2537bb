import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { type Body, create, mug } from '../../../../test/support/products.ts';
import { exportNative } from '../actions/export-rows.ts';

const app = await startTestApp();

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly counts: Record<string, number>;
  readonly row_results: {
    readonly outcome: string;
    readonly changes: object[];
    readonly messages: object[];
  }[];
}
const TYPES = { csv: 'text/csv', json: 'application/json', jsonl: 'application/x-ndjson' } as const;

const send = (seller: TestSeller, path: string, body: string, type: string) =>
  seller.call<Run>('POST', path, {
    body,
    headers: { 'content-type': type, 'idempotency-key': randomUUID() },
  });

const nasty = [
  { title: '=HYPERLINK("http://evil")', description: '+1\r\n@SUM(A1)\n"quoted", and; so | on' },
  { title: "'quoted from the start", brand: '-5.00', attributes: { 'a,b': '=1', 'c"d': "'x", Länge: ' 5 ' } },
  { title: 'Ümlaut 😀 ﬁ', category: '@Home > Küche', condition: 'used_good' },
  { identity: { strategy: 'global_id', value: '930-0675-02423-5', mpn: 'M-1' }, brand: 'Acme' },
  { identity: { strategy: 'mpn_brand', mpn: '=X 1', brand: 'Acme™' }, compare_at_minor: 3000 },
  { variation: { parent_sku: 'P', theme: 'Size/Colour', values: { Size: 'L', Colour: '-red' } } },
  { variation: { parent_sku: 'P', theme: 'Size/Colour', values: { Size: 'M', Colour: 'blue' } } },
  {
    images: [
      { url: 'https://cdn.example.com/a|b.jpg', alt: 'Alt' },
      { url: 'https://cdn.example.com/c.jpg' },
    ],
  },
  { seller_sku: "'0012", quantity_on_hand: 0, reorder_point: 0 },
  { seller_sku: '+SKU', quantity_on_hand: 1_000_000_000, price_minor: 1_000_000_000_000_000 },
  { status: 'draft', title: null, price_minor: null, identity: null },
  { status: 'inactive', price_minor: null },
];

/** A catalogue with values that are difficult to export, and a product of another seller. */
async function stocked(): Promise<TestSeller> {
  const seller = await app.seller({ plan: 'Small' });
  for (const more of nasty) await create(seller, more);
  const { product_id } = await create(seller, { identity: { strategy: 'exempt', reason: 'vintage' } });
  await create(seller, { identity: { strategy: 'product_id', value: product_id } });
  await seller.call('DELETE', `/products/${(await create(seller)).product_id}`);
  return seller;
}

test.each(['csv', 'json', 'jsonl'] as const)(
  'a native %s export sent back as a feed is unchanged in every row',
  async (format) => {
    const seller = await stocked();
    const answer = await seller.call('GET', `/products/export?format=${format}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain(TYPES[format]);
    expect(answer.headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="products-\\d{4}-\\d\\d-\\d\\d\\.${format}"$`),
    );
    const run = await send(seller, '/products/feed-runs', answer.text, TYPES[format]);
    const noise = run.body.row_results.filter(({ outcome }) => outcome !== 'unchanged');
    expect(noise).toEqual([]);
    expect(run.status).toBe(201);
    expect(run.body.counts).toMatchObject({ rows: nasty.length + 2, unchanged: nasty.length + 2 });
    const again = await seller.call('GET', `/products/export?format=${format}`);
    expect(again.text).toBe(answer.text);
  },
);

test('the export shows the ids of products, and another seller can feed it', async () => {
  const [seller, other] = [await stocked(), await app.seller({ plan: 'Small' })];
  const rows = (await seller.call<Record<string, string>[]>('GET', '/products/export?format=json')).body;
  const listed = await seller.call<{ data: Body[] }>('GET', '/products?limit=50');
  const ids = new Map(listed.body.data.map((one) => [one['seller_sku'], one.product_id]));
  const own = rows.filter(({ identity_strategy }) => identity_strategy && identity_strategy !== 'product_id');
  expect(own.length).toBeGreaterThan(10);
  for (const row of own) expect(row['product_id']).toBe(ids.get(row['seller_sku']));
  const run = await send(other, '/products/feed-runs', JSON.stringify(own), TYPES.json);
  expect(run.body.counts).toMatchObject({ rows: own.length, created: own.length });
  const theirs = (await other.call<{ data: Body[] }>('GET', '/products?limit=50')).body.data;
  for (const { product_id } of theirs) expect([...ids.values()]).not.toContain(product_id);
});

test('include=archived adds archived products; sent back, they are unchanged', async () => {
  const seller = await stocked();
  const answer = await seller.call('GET', '/products/export?include=archived');
  const run = await send(seller, '/products/feed-runs', answer.text, 'text/csv');
  expect(run.body.counts).toMatchObject({ rows: nasty.length + 3, unchanged: nasty.length + 3 });
  const only = await seller.call<Body[]>('GET', '/products/export?status=archived&format=json');
  expect(only.body).toHaveLength(1);
});

test('text cells are guarded against formulas, numbers are not', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await create(seller, { seller_sku: 'A', title: '=1+1', price_minor: 500, attributes: { note: '-1' } });
  const { text } = await seller.call('GET', '/products/export');
  const [header = '', row = ''] = text.split('\r\n');
  const cells = Object.fromEntries(header.split(',').map((name, index) => [name, row.split(',')[index]]));
  expect(cells).toMatchObject({ seller_sku: 'A', title: "'=1+1", price: '5.00', 'attributes.note': "'-1" });
});

test('an empty catalogue is exported as a header, an empty array or an empty file', async () => {
  const seller = await app.seller();
  const csv = await seller.call('GET', '/products/export');
  expect(csv.text).toMatch(/^seller_sku,title,.*parent_sku\r\n$/);
  expect((await seller.call('GET', '/products/export?format=json')).body).toEqual([]);
  expect((await seller.call('GET', '/products/export?format=jsonl')).text).toBe('');
});

test('an export has only the seller’s products that match the filters', async () => {
  const [seller, other] = [await app.seller({ plan: 'Small' }), await app.seller()];
  await create(other, { seller_sku: 'THEIRS' });
  const mine = await create(seller, { seller_sku: 'MINE' });
  const skus = async (query: string) =>
    (await seller.call<{ seller_sku: string }[]>('GET', `/products/export?format=json${query}`)).body.map(
      ({ seller_sku }) => seller_sku,
    );
  expect(await skus('')).toEqual(['MINE']);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const since = new Date(app.app.services.now()).toISOString();
  await create(seller, { seller_sku: 'LATER' });
  expect(await skus(`&updated_since=${since}`)).toEqual(['LATER']);
  await seller.call('PATCH', `/products/${mine.product_id}`, { json: { status: 'inactive' } });
  expect(await skus('&status=inactive')).toEqual(['MINE']);
});

test.each([
  ['format=xml'],
  ['shape=amazon'],
  ['include=all'],
  ['updated_since=0000-01-01T00:00:00Z'],
  ['x=1'],
])('422 for ?%s', async (query) => {
  const seller = await app.seller();
  expect((await seller.call('GET', `/products/export?${query}`)).status).toBe(422);
});

test.each(['csv', 'json', 'jsonl'] as const)(
  'the stock export as %s sent back is unchanged',
  async (format) => {
    const seller = await stocked();
    const answer = await seller.call('GET', `/products/inventory/export?format=${format}`);
    expect(answer.status).toBe(200);
    const run = await send(seller, '/products/feed-runs?mode=inventory', answer.text, TYPES[format]);
    expect(run.body.row_results.filter(({ outcome }) => outcome !== 'unchanged')).toEqual([]);
    expect(run.body.row_results.flatMap(({ messages }) => messages)).toEqual([]);
    expect(run.body.counts).toMatchObject({ rows: nasty.length + 2, unchanged: nasty.length + 2 });
  },
);

test('a suspended seller gets an error instead of a file', async () => {
  const seller = await app.seller();
  await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.seller.standing_changed',
    subject: seller.seller_id,
    sellerid: seller.seller_id,
    time: new Date(app.app.services.now()).toISOString(),
    data: { status: 'suspended' },
  });
  expect((await seller.call('GET', '/products/export')).status).toBe(403);
});

test('an export is one snapshot although products change while it streams', async () => {
  const seller = await app.seller({ plan: 'Small' });
  // More rows than the cursor reads ahead.
  await app.app.services.withSystem('jobs', 'single', (db) =>
    db.run({
      text: "insert into product (seller_id, product_id, seller_sku, title, price_minor, currency, status, curation_state, source_origin, search_text, version, created_at, updated_at) select $1, 'prd_' || lpad(n::text, 26, '0'), 'S' || n, 'T', 500, 'AUD', 'inactive', 'not_submitted', 'api', '', 1, $2, $2 from generate_series(1, 5000) n",
      values: [seller.seller_id, new Date(app.app.services.now()).toISOString()],
    }),
  );
  const filter = { include_archived: false };
  const pieces = app.app.services.sellerStream(seller.seller_id, (db) =>
    exportNative({ db, seller_id: seller.seller_id }, filter, 'jsonl', ''),
  );
  const first = await pieces.next();
  await app.app.services.withSystem('jobs', 'single', (db) =>
    db.run({ text: 'update product set price_minor = 1 where seller_id = $1', values: [seller.seller_id] }),
  );
  let text = String(first.value);
  for await (const piece of pieces) text += piece;
  expect(text.match(/"price":"5.00"/g)).toHaveLength(5_000);
});

test('a disconnected client leaves no open connection', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const items = Array.from({ length: 200 }, () => ({ product: mug({ description: 'x'.repeat(9_000) }) }));
  await seller.call('POST', '/products/bulk', { json: { items } });
  for (let n = 0; n < 20; n += 1) {
    const stop = new AbortController();
    const response = await fetch(`${app.url}/api/v1/products/export`, {
      headers: { authorization: `Bearer ${seller.token}` },
      signal: stop.signal,
    });
    await response.body?.getReader().read();
    stop.abort();
  }
  const whole = await seller.call('GET', '/products/export?format=jsonl');
  expect(whole.text.trim().split('\n')).toHaveLength(200);
});

const STORE_FILE = `Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Variant Compare At Price,Variant Barcode,Image Src,Image Position,Image Alt Text,Gift Card,SEO Title,Google Shopping / MPN,Google Shopping / Condition,Variant Image,Status,Fabric (product.metafields.custom.fabric)
tee,Tee,<p>Soft</p>,Acme,Apparel > Tees,Tees,"cotton, summer",true,Size,S,Colour,Red,TEE-S,200,shopify,5,deny,25.00,30.00,'9300675024235,https://cdn.example.com/1.jpg,1,Front,false,Best tee,,new,https://cdn.example.com/2.jpg,active,Cotton
tee,,,,,,,,,M,,Red,TEE-M,200,shopify,0,continue,25.00,,,https://cdn.example.com/2.jpg,2,Back,,,T-200,,https://cdn.example.com/3.jpg,,
tee,,,,,,,,,,,,,,,,,,,,https://cdn.example.com/3.jpg,3,,,,,,,,
cup,Cup,,Harbour,,Cups,,true,Title,Default Title,,,CUP-1,,,,deny,9.95,,not-a-code,,,,false,,C-1,used,,draft,
`;

test.each([
  ['csv', 'D'],
  ['csv', 'E'],
])(
  'imported store platform products exported as %s in generation %s are unchanged when imported again',
  async (format, generation) => {
    const seller = await app.seller({ plan: 'Small' });
    const first = await send(
      seller,
      '/products/import-profiles?profile=store_platform_products',
      STORE_FILE,
      'text/csv',
    );
    expect(first.body.counts).toMatchObject({ rows: 4, rejected: 0 });
    const answer = await seller.call(
      'GET',
      `/products/export?shape=store-platform&format=${format}&generation=${generation}`,
    );
    expect(answer.text.startsWith(generation === 'D' ? 'Handle,Title,' : 'URL handle,Title,')).toBe(true);
    const again = await send(
      seller,
      '/products/import-profiles?profile=store_platform_products',
      answer.text,
      'text/csv',
    );
    expect(again.body.row_results.flatMap(({ changes }) => changes)).toEqual([]);
    expect(again.body.counts).toMatchObject({ rows: 4, unchanged: 3, merged: 1 });
  },
);

const FIXTURES = new URL('../../../../test/fixtures/profiles/', import.meta.url);
const STORE_IMPORT = '/products/import-profiles?profile=store_platform_products';
const pictures = (...names: string[]) =>
  names.map((name) => ({ url: `https://cdn.example.com/${name}.jpg` }));

test.each(['D', 'E'])(
  'native products exported in generation %s of the store platform’s shape are imported as the same products',
  async (generation) => {
    const seller = await stocked();
    for (const [Size, images] of [
      ['S', pictures('s', 'all')],
      ['M', pictures('m', 'all')],
      ['L', pictures('all')],
    ])
      await create(seller, { images, variation: { parent_sku: 'SHIRT', theme: 'Size', values: { Size } } });
    for (const [Size, images] of [
      ['S', pictures('own')],
      ['M', []],
    ])
      await create(seller, { images, variation: { parent_sku: 'BARE', theme: 'Size', values: { Size } } });
    const path = `/products/export?shape=store-platform&generation=${generation}`;
    const { text } = await seller.call('GET', path);
    const again = await send(seller, STORE_IMPORT, text, 'text/csv');
    expect(again.body.row_results.flatMap(({ changes }) => changes)).toEqual([]);
    const { rows = 0, unchanged, merged = 0 } = again.body.counts;
    expect(unchanged).toBe(rows - merged);
    expect((await seller.call('GET', path)).text).toBe(text);
  },
);

test('listings without a SKU exported in the store platform’s shape are found again, with the same findings', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const file = readFileSync(new URL('handmade-au.csv', FIXTURES), 'utf8');
  const first = await send(seller, '/products/import-profiles', file, 'text/csv');
  expect(first.body.counts['staged']).toBeGreaterThan(0);
  const { text } = await seller.call('GET', '/products/export?shape=store-platform');
  const again = await send(seller, STORE_IMPORT, text, 'text/csv');
  expect(again.body.row_results.flatMap(({ changes }) => changes)).toEqual([]);
  expect(again.body.counts).toMatchObject({ created: 0, staged: 0, updated: 0, rejected: 0 });
});

const SAMPLES = '../shared/samples/store-platform-shopify';
describe.skipIf(!existsSync(SAMPLES))('real files of a store platform', () => {
  const files = existsSync(SAMPLES) ? readdirSync(SAMPLES).filter((name) => name.endsWith('.csv')) : [];
  test.each(files)('%s: both exports are unchanged when imported again', async (name) => {
    const seller = await app.seller({ plan: 'Big' });
    const path = '/products/import-profiles?profile=store_platform_products';
    const first = await seller.call<Run>('POST', path, {
      body: readFileSync(join(SAMPLES, name)),
      headers: { 'content-type': 'text/csv', 'idempotency-key': randomUUID() },
    });
    const { created = 0, staged = 0 } = first.body.counts ?? {};
    const native = await seller.call('GET', '/products/export');
    if (created + staged > 0) {
      const fed = await send(seller, '/products/feed-runs', native.text, 'text/csv');
      expect(fed.body.counts).toMatchObject({ rows: created + staged, unchanged: created + staged });
    }
    const answer = await seller.call('GET', '/products/export?shape=store-platform');
    const again = await send(seller, path, answer.text, 'text/csv');
    const { rejected = 0, unchanged = 0 } = again.body.counts ?? {};
    expect([rejected, unchanged]).toEqual([0, created + staged]);
  });
});
