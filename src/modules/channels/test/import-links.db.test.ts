/** Links of imports: which run makes them, which revert ends them, and what comes between. */
import { describe, expect, test } from 'vitest';
import { exactJson } from '../../../../demo/store-platform/exact-json.ts';
import type { TestSeller } from '../../../../test/support/app.ts';
import { catalogueOf, eventually, type Run } from '../../../../test/support/feeds.ts';
import { logOf, poster } from '../../../../test/support/store-deliveries.ts';
import {
  beginImport,
  commitImport,
  ended,
  followed,
  goodsOf,
  linksOf,
  storeWith,
  UNITS,
} from '../../../../test/support/store-imports.ts';
import { connectStore, readChannel, startStores } from '../../../../test/support/store-platform.ts';
import { barcode, createBody, firstVariant, issuesOf } from '../../../../test/support/store-products.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const stores = await startStores({ LOG_LEVEL: 'silent' });
const query = (sql: string, values: unknown[]) =>
  runOn(stores.database.adminUrl, (client) => client.query(sql, values));

/** A store whose first import is applied and whose stock is known. */
async function imported(goods = goodsOf(2)) {
  const seller = await stores.seller();
  const store = await storeWith(stores, seller, goods);
  const run = await commitImport(stores, seller, store.preview);
  await stocked(seller);
  return { seller, ...store, run };
}
const stocked = (seller: TestSeller) =>
  eventually(
    () => catalogueOf(seller),
    (all) => [...all.values()].every(({ quantity_on_hand: units }) => units !== null),
  );

/** Imports the store at once, and waits until its variants are linked. */
async function importNow(seller: TestSeller, channel_id: string): Promise<Run> {
  const { body } = await beginImport(seller, channel_id, false);
  const run = await ended(seller, body.run_id);
  await followed(stores, run.run_id);
  return run;
}

async function revert(seller: TestSeller, { run_id }: Pick<Run, 'run_id'>): Promise<Run> {
  const { status, body, text } = await seller.call<Run>('POST', `/products/feed-runs/${run_id}/revert`);
  if (status !== 201) throw new Error(`revert: ${status} ${text}`);
  await followed(stores, body.run_id);
  return body;
}

/** Runs the job that links a run once more, as after the death of its worker. */
async function followAgain({ seller_id }: TestSeller, { run_id }: Pick<Run, 'run_id'>): Promise<void> {
  await query(
    `insert into job (job_id, kind, seller_id, payload, unique_key, due_at, created_at)
     values ('job_' || right($1, 26), 'products.channel_run_ended', $2, json_build_object('run_id', $1::text), $1, now(), now())`,
    [run_id, seller_id],
  );
  await followed(stores, run_id);
}

const importedAt = async (channel_id: string): Promise<unknown> =>
  (await query('select imported_at from channel where channel_id = $1', [channel_id])).rows[0].imported_at;
const statesOf = async (channel_id: string) => (await linksOf(stores, channel_id)).map(({ state }) => state);

/** Sends a product as the store does, and waits for the decision. */
async function send(seller: TestSeller, shop: string, product: Parameters<typeof createBody>[0]) {
  const before = (await logOf(seller)).length;
  const { status } = await poster(stores)(exactJson(createBody(product)), { topic: 'products/update', shop });
  expect(status).toBe(200);
  const [newest] = await eventually(
    () => logOf(seller),
    (all) => all.length > before && all.every((one) => one.status !== 'received'),
  );
  return newest;
}

describe('a revert of an import', () => {
  test('keeps a product whose stock the seller has set, and its link', async () => {
    const { seller, channel_id, run } = await imported();
    const product_id = (await catalogueOf(seller)).get('MUG-0')?.product_id ?? '';
    const taken = { json: { adjustments: [{ product_id, delta: -2 }] } };
    expect((await seller.call('POST', '/products/inventory/adjust', taken)).status).toBe(200);
    expect((await revert(seller, run)).counts).toMatchObject({ not_attempted: 1, deactivated: 1 });
    expect([...(await catalogueOf(seller)).keys()]).toEqual(['MUG-0']);
    expect(await statesOf(channel_id)).toEqual(['linked', 'unlinked']);
  });

  test('ends no link of an earlier import', async () => {
    const { seller, channel_id, shop, made, run } = await imported();
    const [first] = made;
    if (first === undefined) throw new Error('no product');
    shop.catalogue.changeProduct(first.id, { title: 'Renamed in the store' });
    shop.catalogue.addProduct({ title: 'New', variants: [{ sku: 'NEW' }] });
    const second = await importNow(seller, channel_id);
    expect(second.counts).toMatchObject({ updated: 1, unchanged: 1, staged: 1 });
    expect(await statesOf(channel_id)).toEqual(['linked', 'linked', 'linked']);
    await revert(seller, second);
    expect((await catalogueOf(seller)).get('MUG-0')?.title).toBe('MUG 0');
    expect(await statesOf(channel_id)).toEqual(['linked', 'linked', 'unlinked']);
    expect(await importedAt(channel_id)).not.toBeNull();
    expect(run.kind).toBe('commit');
  });

  test('that restores nothing ends no link, and the import stays the last one', async () => {
    const { seller, channel_id, shop, made } = await imported();
    const [first] = made;
    if (first === undefined) throw new Error('no product');
    await query("update channel_link set state = 'unlinked' where channel_id = $1", [channel_id]);
    shop.catalogue.changeProduct(first.id, { title: 'Renamed in the store' });
    const second = await importNow(seller, channel_id);
    expect(second.counts).toMatchObject({ updated: 1, unchanged: 1 });
    expect(await statesOf(channel_id)).toEqual(['linked', 'linked']);
    const before = await importedAt(channel_id);
    const { product_id = '' } = (await catalogueOf(seller)).get('MUG-0') ?? {};
    const edit = { json: { title: 'Renamed by the seller' } };
    expect((await seller.call('PATCH', `/products/${product_id}`, edit)).status).toBe(200);
    expect((await revert(seller, second)).counts).toMatchObject({ not_attempted: 1, updated: 0 });
    expect(await statesOf(channel_id)).toEqual(['linked', 'linked']);
    expect(await importedAt(channel_id)).toEqual(before);
  });

  test('is not undone by the job that links its import', async () => {
    const { seller, channel_id, run } = await imported();
    expect(await importedAt(channel_id)).not.toBeNull();
    await revert(seller, run);
    await followAgain(seller, run);
    expect(await statesOf(channel_id)).toEqual(['unlinked', 'unlinked']);
    expect(await importedAt(channel_id)).toBeNull();
  });

  test('is not undone by a delivery that finds a link which is not ended yet', async () => {
    const { seller, channel_id, domain, made, shop, run } = await imported(goodsOf(1));
    const [link] = await linksOf(stores, channel_id);
    const [first] = made;
    if (first === undefined || link === undefined) throw new Error('no product');
    const change = { json: { create_products: false } };
    expect((await seller.call('PATCH', `/channels/${channel_id}`, change)).status).toBe(200);
    await revert(seller, run);
    // As before the job that ends the links.
    await query(
      "update channel_link set state = 'linked', linked_by = 'import', product_id = $2 where channel_id = $1",
      [channel_id, link.product_id],
    );
    await send(seller, domain, shop.catalogue.changeProduct(first.id, { title: 'Changed meanwhile' }));
    expect((await catalogueOf(seller)).size).toBe(0);
    expect(await statesOf(channel_id)).toEqual(['unlinked']);
  });
});

describe('an import', () => {
  test('puts a draft on sale once the store completes it', async () => {
    const { seller, domain, shop, made } = await imported(goodsOf(1));
    const [first] = made;
    if (first === undefined) throw new Error('no product');
    expect((await catalogueOf(seller)).get('MUG-0')?.status).toBe('draft');
    await send(
      seller,
      domain,
      shop.catalogue.changeProduct(first.id, firstVariant(first, { barcode: barcode() })),
    );
    expect((await catalogueOf(seller)).get('MUG-0')?.status).toBe('active');
  });

  test('takes no prices of a store with another currency than the seller', async () => {
    const { seller, channel_id, shop, made } = await imported(goodsOf(1));
    const [first] = made;
    if (first === undefined) throw new Error('no product');
    shop.currency = 'USD';
    shop.catalogue.changeProduct(first.id, {
      ...firstVariant(first, { price: '99.00' }),
      title: 'Renamed in the store',
    });
    shop.catalogue.addProduct({ title: 'New', variants: [{ sku: 'NEW', price: '98.00' }] });
    const before = (await catalogueOf(seller)).get('MUG-0')?.price_minor;
    await importNow(seller, channel_id);
    const after = await catalogueOf(seller);
    expect(after.get('MUG-0')).toMatchObject({ title: 'Renamed in the store', price_minor: before });
    expect(after.get('NEW')).toMatchObject({ title: 'New', price_minor: null });
  });

  test('links a variant that was gone, and one that replaces a variant that is gone', async () => {
    const { seller, channel_id, shop, made } = await imported();
    const [first, second] = made;
    if (first === undefined || second === undefined) throw new Error('no products');
    const before = await catalogueOf(seller);
    for (const { id } of made) shop.deleteProduct(id);
    await eventually(
      () => statesOf(channel_id),
      (states) => states.every((state) => state === 'gone'),
    );
    await shop.deliveries.idle();
    shop.catalogue.products.set(first.id, { ...first, updated_at: shop.catalogue.at() });
    shop.catalogue.addProduct(goodsOf(2)[1] ?? { title: '' });
    await importNow(seller, channel_id);
    const links = await linksOf(stores, channel_id);
    expect(links.map(({ state, product_id }) => [state, product_id])).toEqual([
      ['linked', before.get('MUG-0')?.product_id],
      ['gone', null],
      ['linked', before.get('MUG-1')?.product_id],
    ]);
  });

  test('settles what a late delivery saw before the variants were linked', async () => {
    const { seller, channel_id, domain, made, run } = await imported(goodsOf(1));
    const [first] = made;
    if (first === undefined) throw new Error('no product');
    // As before the job that links the variants.
    await query('delete from channel_link where channel_id = $1', [channel_id]);
    const older = {
      ...first,
      ...firstVariant(first, { price: '11.00' }),
      updated_at: '2026-01-01T00:00:00Z',
    };
    await send(seller, domain, older);
    expect(await issuesOf(seller, 'state=open')).toMatchObject([{ kind: 'field_conflict' }]);
    await followAgain(seller, run);
    expect(await issuesOf(seller, 'state=open')).toEqual([]);
  });
});

describe('a variant that a member has unlinked or ignored', () => {
  const changeOf = { unlinked: { product_id: null }, ignored: { state: 'ignored' } } as const;

  test.each(['unlinked', 'ignored'] as const)('is left alone by imports: %s', async (state) => {
    const { seller, channel_id, shop, made, run } = await imported();
    const [first] = made;
    if (first === undefined) throw new Error('no product');
    const links = (
      await seller.call<{ data: { link_id: string; external: { product_id: string } }[] }>(
        'GET',
        `/channels/${channel_id}/links`,
      )
    ).body.data;
    const link = links.find(({ external }) => external.product_id === String(first.id));
    const path = `/channels/links/${link?.link_id}`;
    expect((await seller.call('PATCH', path, { json: changeOf[state] })).status).toBe(200);
    // The job of the import that was applied before runs again.
    await followAgain(seller, run);
    expect(await statesOf(channel_id)).toEqual([state, 'linked']);
    shop.catalogue.changeProduct(first.id, { title: 'Renamed in the store' });
    const { counts } = await importNow(seller, channel_id);
    expect(counts).toMatchObject({ rows: 1, unchanged: 1 });
    expect((await catalogueOf(seller)).get('MUG-0')?.title).toBe('MUG 0');
    expect(await statesOf(channel_id)).toEqual([state, 'linked']);
  });
});

describe('a link that a member changes', () => {
  const shown = async ({ call }: TestSeller, channelId: string) =>
    (await call<{ data: { link_id: string; product_id: string }[] }>('GET', `/channels/${channelId}/links`))
      .body.data[0];

  test('makes the previews of its store stale', async () => {
    const { seller, channel_id, shop, made } = await imported(goodsOf(1));
    const [first] = made;
    const link = await shown(seller, channel_id);
    if (first === undefined || link === undefined) throw new Error('no product');
    shop.catalogue.changeProduct(first.id, { title: 'Renamed in the store' });
    const { body } = await beginImport(seller, channel_id, true);
    const preview = await ended(seller, body.run_id);
    expect(preview.counts.updated).toBe(1);
    const other = await seller.call<{ product_id: string }>('POST', '/products', {
      json: { title: 'Another', status: 'draft', seller_sku: 'OTHER' },
    });
    const change = { json: { product_id: other.body.product_id } };
    expect((await seller.call('PATCH', `/channels/links/${link.link_id}`, change)).status).toBe(200);
    const commit = await seller.call<{ code: string }>('POST', `/products/feed-runs/${body.run_id}/commit`);
    expect([commit.status, commit.body.code]).toEqual([409, 'preview_stale']);
    expect((await catalogueOf(seller)).get('MUG-0')?.title).toBe('MUG 0');
  });

  test('is refused while an import is applied, not while it is previewed', async () => {
    const { seller, channel_id, shop } = await imported(goodsOf(1));
    const link = await shown(seller, channel_id);
    const ignore = () =>
      seller.call<{ code: string; run_id: string }>('PATCH', `/channels/links/${link?.link_id}`, {
        json: { state: 'ignored' },
      });
    shop.bucket.drain(1_000, 500);
    const { body } = await beginImport(seller, channel_id, false);
    const refused = await ignore();
    expect(refused).toMatchObject({ status: 409, body: { code: 'import_running', run_id: body.run_id } });
    expect((await seller.call('POST', `/products/feed-runs/${body.run_id}/cancel`)).status).toBe(200);
    shop.bucket.drain(1_000, 500);
    await beginImport(seller, channel_id, true);
    expect((await ignore()).status).toBe(200);
  });
});

test('a store that is connected again is asked for its levels at once', async () => {
  const { seller, shop, domain, channel_id, made, location } = await imported(goodsOf(1));
  const item = made[0]?.variants[0]?.inventory_item_id;
  if (item === undefined) throw new Error('no product');
  await seller.call('POST', `/channels/${channel_id}/disconnect`, { json: {} });
  await eventually(
    () => readChannel(seller, channel_id),
    ({ removal }) => removal?.status === 'done',
  );
  shop.catalogue.setLevel(item, location.id, UNITS + 4);
  await connectStore(stores, seller, { shop: domain });
  const products = await eventually(
    () => catalogueOf(seller),
    (all) => all.get('MUG-0')?.quantity_on_hand !== UNITS,
  );
  expect(products.get('MUG-0')?.quantity_on_hand).toBe(UNITS + 4);
});

test('sweeps that are asked for while one runs are one sweep', async () => {
  const { seller, shop, channel_id } = await imported(goodsOf(40));
  shop.bucket.drain(1_000, 900);
  for (let times = 0; times < 3; times += 1)
    for (const inbound of ['paused', 'active'])
      expect((await seller.call('PATCH', `/channels/${channel_id}`, { json: { inbound } })).status).toBe(200);
  const { rowCount } = await query(
    "select from job where kind = 'channels.sweep' and payload ->> 'channel_id' = $1",
    [channel_id],
  );
  expect(rowCount).toBeLessThanOrEqual(1);
});
