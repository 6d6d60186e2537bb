/** A decision is about one version of a product: docs/design/feeds-and-imports.md#curation. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { applied, csv, type Run } from '../../../../test/support/feeds.ts';
import { png } from '../../../../test/support/images.ts';
import { create } from '../../../../test/support/products.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const app = await startTestApp();
const make = () => app.seller({ plan: 'Big' });

interface Product {
  readonly product_id: string;
  readonly seller_sku: string;
  readonly title: string;
  readonly version: number;
  readonly visible: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly images: readonly { readonly url: string }[];
  readonly curation: { readonly state: string; readonly reasons: readonly object[] };
  readonly live: Readonly<Record<string, unknown>> | null;
}

const read = async (seller: TestSeller, id: string) =>
  (await seller.call<Product>('GET', `/products/${id}`)).body;
const patch = async (seller: TestSeller, id: string, json: object) =>
  (await seller.call<Product>('PATCH', `/products/${id}`, { json })).body;
const after = (instant: string, ms: number) => new Date(Date.parse(instant) + ms).toISOString();

let minutes = 0;
/** Later than every change of these tests, and than the decisions before. */
const later = (): string => {
  minutes += 1;
  return new Date(app.app.services.now() + 3_600_000 + minutes * 60_000).toISOString();
};

interface About {
  readonly reviewed_version?: number;
  readonly objectversion?: string;
  readonly time?: string;
}

async function decide(seller: TestSeller, id: string, decision: string, about: About = {}) {
  const { reviewed_version, ...envelope } = about;
  const [result] = await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.product.curation_decided',
    subject: id,
    sellerid: seller.seller_id,
    time: later(),
    ...envelope,
    data: { decision, reviewed_version },
  });
  return result;
}

const APPLIED = { status: 'applied' };
const STALE = { status: 'stale' };
const UNKNOWN = { status: 'rejected', code: 'version_unknown' };

/** Version 1 has the title `One`, and version 2 `Two`. */
async function overtaken(seller: TestSeller): Promise<{ first: Product; second: Product; id: string }> {
  const { product_id: id } = await create(seller, { title: 'One' });
  const first = await read(seller, id);
  while (app.app.services.now() <= Date.parse(first.updated_at)) await read(seller, id);
  await patch(seller, id, { title: 'Two' });
  return { first, second: await read(seller, id), id };
}

const ABOUT_FIRST: readonly (readonly [string, (first: Product) => About])[] = [
  ['reviewed_version', () => ({ reviewed_version: 1, objectversion: '2' })],
  ['objectversion', () => ({ objectversion: '1' })],
  ['time', ({ updated_at }) => ({ time: updated_at })],
];

test.each(ABOUT_FIRST)(
  'an approval of an overtaken version, named by %s, is not of the newer one',
  async (_name, aboutOf) => {
    const seller = await make();
    const { first, second, id } = await overtaken(seller);
    expect(await decide(seller, id, 'approved', aboutOf(first))).toMatchObject(APPLIED);
    expect(await read(seller, id)).toMatchObject({
      title: 'Two',
      curation: { state: 'pending' },
      visible: true,
      live: { version: 1, title: 'One' },
    });
    expect(await decide(seller, id, 'approved', { reviewed_version: second.version })).toMatchObject(APPLIED);
    expect(await read(seller, id)).toMatchObject({
      curation: { state: 'approved' },
      live: { version: 2, title: 'Two' },
    });
  },
);

test('live has the reviewed fields of the approved version, in the product and in its events', async () => {
  const seller = await make();
  const reviewed = { title: 'One', description: 'Old', brand: 'Clay', category: 'Home > Mugs' };
  const { product_id: id, identity } = await create(seller, {
    ...reviewed,
    images: [{ url: 'https://cdn.example.com/1.jpg' }],
  });
  const { images, live } = await read(seller, id);
  expect(live).toBeNull();
  const time = later();
  await decide(seller, id, 'approved', { time });
  const expected = { version: 1, ...reviewed, identity, images, approved_at: time };
  expect((await read(seller, id)).live).toEqual(expected);
  const changed = await patch(seller, id, {
    title: 'Two',
    description: 'New',
    brand: 'Glass',
    category: 'Home > Cups',
    identity: { strategy: 'exempt', reason: 'vintage' },
    images: [{ url: 'https://cdn.example.com/2.jpg' }],
    price_minor: 100,
  });
  expect(changed).toMatchObject({ curation: { state: 'pending' }, visible: true, live: expected });
  expect(await read(seller, id)).toMatchObject({ visible: true, live: expected, price_minor: 100 });
  const events = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<{ type: string; data: { object: Product } }>({
      text: 'select type, data from outbox where object_id = $1 order by outbox_id',
      values: [id],
    }),
  );
  expect(events.map(({ type, data }) => [type, data.object.live])).toEqual([
    ['product.created', null],
    ['product.curation_changed', expected],
    ['product.visibility_changed', expected],
    ['product.updated', expected],
    ['product.curation_changed', expected],
  ]);
  await decide(seller, id, 'suspended');
  expect(await read(seller, id)).toMatchObject({ live: null, visible: false });
});

test.each([
  ['description', { description: 'Other' }],
  ['category', { category: 'Home > Cups' }],
  ['brand', { brand: 'Glass' }],
  ['images', { images: [{ url: 'https://cdn.example.com/2.jpg' }] }],
])('a new %s of an approved product is reviewed, and goes back without a review', async (field, change) => {
  const seller = await make();
  const { product_id: id, ...created } = await create(seller);
  await decide(seller, id, 'approved');
  expect(await patch(seller, id, change)).toMatchObject({
    curation: { state: 'pending' },
    live: { version: 1, [field]: created[field] },
    warnings: [{ code: 'curation_required' }],
  });
  expect(await patch(seller, id, { [field]: created[field] })).toMatchObject({
    curation: { state: 'approved' },
    live: { version: 4 },
  });
});

test('a version that the marketplace cannot know is version_unknown, and its id stays free', async () => {
  const seller = await make();
  const { first, id } = await overtaken(seller);
  for (const about of [
    { reviewed_version: 3 },
    { objectversion: '3' },
    { objectversion: '0' },
    { time: after(first.created_at, -1) },
  ])
    for (const decision of ['approved', 'rejected'])
      expect(await decide(seller, id, decision, about)).toMatchObject(UNKNOWN);
  expect(await read(seller, id)).toMatchObject({ version: 2, visible: false, live: null });
});

test('a version from before the product was submitted is version_unknown', async () => {
  const seller = await make();
  const { product_id: id } = await create(seller, { title: 'Draft', status: 'draft' });
  await patch(seller, id, { title: 'Better draft' });
  await patch(seller, id, { status: 'active' });
  expect(await decide(seller, id, 'approved', { reviewed_version: 2 })).toMatchObject(UNKNOWN);
  expect(await decide(seller, id, 'approved', { reviewed_version: 3 })).toMatchObject(APPLIED);
  expect(await read(seller, id)).toMatchObject({ visible: true, live: { version: 3 } });
});

type Overtake = (seller: TestSeller, product: Product) => Promise<unknown>;
const feedOf = (seller: TestSeller, { seller_sku }: Product, title: string) =>
  applied(seller, csv([{ seller_sku, title }]));
const OVERTAKES: Readonly<Record<string, Overtake>> = {
  PATCH: (seller, { product_id }) => patch(seller, product_id, { title: 'Changed' }),
  bulk: (seller, { product_id }) =>
    seller.call('POST', '/products/bulk', {
      json: { items: [{ operation: 'update', product_id, product: { title: 'Changed' } }] },
    }),
  feed: (seller, product) => feedOf(seller, product, 'Changed'),
  'image upload': (seller, { product_id }) =>
    seller.call('POST', `/products/${product_id}/images`, {
      body: png(),
      headers: { 'content-type': 'image/png' },
    }),
  revert: async (seller, product) => {
    const run: Run = await feedOf(seller, product, 'Changed');
    return seller.call('POST', `/products/feed-runs/${run.run_id}/revert`, {
      headers: { 'idempotency-key': randomUUID() },
    });
  },
  'commit of a preview': async (seller, { seller_sku }) => {
    const preview = await applied(seller, csv([{ seller_sku, title: 'Changed' }]), { query: 'dry_run=true' });
    return seller.call('POST', `/products/feed-runs/${preview.run_id}/commit`, {
      headers: { 'idempotency-key': randomUUID() },
    });
  },
};

test.each(Object.keys(OVERTAKES))('version 2 can be approved after %s has replaced it', async (name) => {
  const seller = await make();
  const { second, id } = await overtaken(seller);
  await OVERTAKES[name]?.(seller, second);
  const present = await read(seller, id);
  expect(present.version).toBeGreaterThan(2);
  expect(await decide(seller, id, 'approved', { reviewed_version: 2 })).toMatchObject(APPLIED);
  const { live, curation, visible } = await read(seller, id);
  expect(live).toMatchObject({ version: name === 'revert' ? 4 : 2, title: 'Two', images: [] });
  expect([curation.state, visible]).toEqual([name === 'revert' ? 'approved' : 'pending', true]);
});

test('a decision during the writes of a run does not approve the content of the run', async () => {
  const seller = await make();
  const { product_id: id, seller_sku } = await create(seller, { title: 'One' });
  const locked = await create(seller);
  const { services } = app.app;
  const time = await runOn(app.database.adminUrl, async (holder) => {
    await holder.query('begin');
    await holder.query('select from product where product_id = $1 for update', [locked.product_id]);
    const skus = [seller_sku, locked.seller_sku];
    const running = applied(seller, csv(skus.map((sku) => ({ seller_sku: String(sku), title: 'Two' }))));
    const waiting = 'select from pg_locks where not granted';
    await expect.poll(async () => (await holder.query(waiting)).rowCount).toBeGreaterThan(0);
    const started = services.now();
    await expect.poll(() => services.now()).toBeGreaterThan(started);
    const during = new Date(services.now()).toISOString();
    await expect.poll(() => services.now()).toBeGreaterThan(Date.parse(during));
    await holder.query('commit');
    expect((await running).counts.updated).toBe(2);
    return during;
  });
  await patch(seller, id, { price_minor: 999 });
  expect(await decide(seller, id, 'approved', { time })).toMatchObject(APPLIED);
  expect(await read(seller, id)).toMatchObject({
    title: 'Two',
    curation: { state: 'pending' },
    live: { version: 1, title: 'One' },
  });
});

test('versions 1 to 3 are approved in any order, and the newest of them stays live', async () => {
  const seller = await make();
  for (const [order, lives] of [
    [
      [1, 2, 3],
      ['One', 'Two', 'Three'],
    ],
    [
      [2, 1, 3],
      ['Two', 'Two', 'Three'],
    ],
    [
      [3, 1, 2],
      ['Three', 'Three', 'Three'],
    ],
  ] as const) {
    const { id } = await overtaken(seller);
    await patch(seller, id, { title: 'Three' });
    for (const [index, reviewed_version] of order.entries()) {
      expect(await decide(seller, id, 'approved', { reviewed_version })).toMatchObject(APPLIED);
      expect((await read(seller, id)).live).toMatchObject({ title: lives[index] });
    }
    expect((await read(seller, id)).curation.state).toBe('approved');
  }
});

test('a rejection of an overtaken version changes neither the newer one nor the live one', async () => {
  const seller = await make();
  const { second, id } = await overtaken(seller);
  const earlier = later();
  expect(await decide(seller, id, 'rejected', { reviewed_version: 1 })).toMatchObject(APPLIED);
  expect(await decide(seller, id, 'rejected', { reviewed_version: 1 })).toMatchObject(APPLIED);
  expect(await decide(seller, id, 'approved', { reviewed_version: 1, time: earlier })).toMatchObject(STALE);
  expect(await read(seller, id)).toEqual(second);
  await decide(seller, id, 'approved', { reviewed_version: 2 });
  await patch(seller, id, { title: 'Three' });
  await patch(seller, id, { title: 'Four' });
  const before = await read(seller, id);
  expect(await decide(seller, id, 'rejected', { objectversion: '4' })).toMatchObject(APPLIED);
  expect(await read(seller, id)).toEqual(before);
  expect(before).toMatchObject({ curation: { state: 'pending' }, live: { title: 'Two' } });
});

test('an approval of an older version that arrives after a rejection of the newer one counts', async () => {
  const seller = await make();
  const { id } = await overtaken(seller);
  const [earlier, time] = [later(), later()];
  await decide(seller, id, 'rejected', { reviewed_version: 2, time });
  expect(await decide(seller, id, 'approved', { reviewed_version: 1, time: earlier })).toMatchObject(APPLIED);
  expect(await read(seller, id)).toMatchObject({
    curation: { state: 'rejected' },
    visible: true,
    live: { version: 1, title: 'One' },
  });
});

test('a suspension counts for any version that it names, and older approvals do not end it', async () => {
  const seller = await make();
  const { id } = await overtaken(seller);
  const earlier = later();
  expect(await decide(seller, id, 'suspended', { reviewed_version: 1 })).toMatchObject(APPLIED);
  for (const reviewed_version of [1, 2])
    expect(await decide(seller, id, 'approved', { reviewed_version, time: earlier })).toMatchObject({
      status: 'stale',
    });
  expect(await read(seller, id)).toMatchObject({ curation: { state: 'suspended' }, live: null });
  await patch(seller, id, { title: 'Three' });
  expect(await decide(seller, id, 'approved', { reviewed_version: 3 })).toMatchObject(APPLIED);
  expect(await read(seller, id)).toMatchObject({ curation: { state: 'pending' }, live: { title: 'Two' } });
});

test.each([
  ['suspended', 'pending'],
  ['rejected', 'rejected'],
] as const)(
  'an approval from before a suspension does not count for changed content that is %s',
  async (state, after) => {
    const seller = await make();
    const { product_id: id } = await create(seller, { title: 'One' });
    const [first, earlier, time] = [later(), later(), later()];
    await decide(seller, id, 'approved', { time: first });
    await decide(seller, id, 'suspended', { time });
    const { version: suspended } = await read(seller, id);
    await patch(seller, id, { title: 'Two' });
    if (state === 'rejected') expect(await decide(seller, id, state)).toMatchObject(APPLIED);
    for (const reviewed_version of [suspended, 1])
      expect(await decide(seller, id, 'approved', { reviewed_version, time: earlier })).toMatchObject({
        status: 'stale',
      });
    expect(await read(seller, id)).toMatchObject({ curation: { state }, live: null, visible: false });
    expect(await decide(seller, id, 'approved', { reviewed_version: suspended })).toMatchObject(APPLIED);
    expect(await read(seller, id)).toMatchObject({ curation: { state: after }, live: { title: 'One' } });
  },
);

test('a decision about one seller’s version does not change another seller’s product', async () => {
  const [seller, other] = [await make(), await make()];
  const [mine, theirs] = [await overtaken(seller), await overtaken(other)];
  expect(await decide(seller, theirs.id, 'approved', { reviewed_version: 1 })).toMatchObject({
    code: 'product_not_found',
  });
  await decide(seller, mine.id, 'approved', { reviewed_version: 1 });
  expect(await read(other, theirs.id)).toEqual(theirs.second);
  expect((await read(seller, mine.id)).live).toMatchObject({ title: 'One' });
});

test('only the newest 20 replaced versions can still be decided', async () => {
  const seller = await make();
  const { id } = await overtaken(seller);
  for (let number = 3; number <= 22; number++) await patch(seller, id, { title: `Title ${number}` });
  expect(await decide(seller, id, 'approved', { reviewed_version: 1 })).toMatchObject(UNKNOWN);
  expect(await decide(seller, id, 'approved', { reviewed_version: 2 })).toMatchObject(APPLIED);
  expect((await read(seller, id)).live).toMatchObject({ title: 'Two' });
});

test('the images of the live version are kept while a change is reviewed', async () => {
  const seller = await make();
  const { product_id: id } = await create(seller);
  const body = png();
  const headers = { 'content-type': 'image/png' };
  await seller.call('POST', `/products/${id}/images`, { body, headers });
  await decide(seller, id, 'approved');
  const { images } = await read(seller, id);
  await seller.call('DELETE', `/products/${id}/images`);
  expect((await read(seller, id)).live).toMatchObject({ images });
  const [path] = images.map(({ url }) => new URL(url, app.url).pathname);
  expect((await fetch(`${app.url}${path}`)).status).toBe(200);
  const expiring = () =>
    app.app.services.withSystem('jobs', 'read', (db) =>
      db.all({
        text: 'select 1 from file where seller_id = $1 and expires_at is not null',
        values: [seller.seller_id],
      }),
    );
  expect(await expiring()).toEqual([]);
  await decide(seller, id, 'approved');
  expect((await read(seller, id)).live).toMatchObject({ images: [] });
  expect(await expiring()).toHaveLength(1);
  expect((await fetch(`${app.url}${path}`)).status).toBe(404);
});
