/** Imports of connected stores: preview, commit, revert, and what stops them. */
import { describe, expect, test } from 'vitest';
import type { TestSeller } from '../../../../test/support/app.ts';
import { catalogueOf, eventually, type Run, rowsOf } from '../../../../test/support/feeds.ts';
import {
  beginImport,
  commitImport,
  ended,
  followed,
  goodsOf,
  importsOf,
  lastImport,
  linksOf,
  storeWith,
  UNITS,
} from '../../../../test/support/store-imports.ts';
import { connectStore, readChannel, startStores } from '../../../../test/support/store-platform.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const stores = await startStores({ LOG_LEVEL: 'silent' });
const previewsOf = async ({ call }: TestSeller) =>
  (
    await call<{ data: { data: { object: Run } }[] }>(
      'GET',
      '/webhooks/events?types=channel.import_previewed',
    )
  ).body.data.map(({ data }) => data.object);
const runsLeft = async ({ call }: TestSeller) =>
  (await call<{ runs_remaining_today: number }>('GET', '/products/feed-contract')).body.runs_remaining_today;

describe('an import', () => {
  test('begins as a preview by itself, is applied by a commit with its stock, and undone by a revert', async () => {
    const seller = await stores.seller();
    const left = await runsLeft(seller);
    const { channel_id, preview, made } = await storeWith(stores, seller, [
      ...goodsOf(2),
      {
        title: 'Plate',
        option: 'Size',
        variants: [
          { title: 'S', sku: 'P-S' },
          { title: 'L', sku: null },
        ],
      },
    ]);
    expect(preview).toMatchObject({
      ...{ kind: 'channel_import', dry_run: true, status: 'succeeded' },
      counts: { rows: 4, staged: 4 },
      source: { profile: 'store_platform_products', channel_id },
      links: { commit: expect.any(String) },
    });
    expect((await catalogueOf(seller)).size).toBe(0);
    expect(await linksOf(stores, channel_id)).toEqual([]);
    const [told] = await eventually(
      () => previewsOf(seller),
      ({ length }) => length === 1,
    );
    expect(told).toMatchObject({ run_id: preview.run_id, counts: { rows: 4 } });

    const commit = await commitImport(stores, seller, preview);
    expect(commit).toMatchObject({ kind: 'commit', counts: preview.counts });
    const products = await catalogueOf(seller);
    expect([...products.values()].map(({ title }) => title).sort()).toEqual([
      'MUG 0',
      'MUG 1',
      'Plate',
      'Plate',
    ]);
    expect(products.get('MUG-0')).toMatchObject({
      source: { origin: 'store_platform', run_id: commit.run_id },
    });
    const links = await linksOf(stores, channel_id);
    expect(links.map(({ external_variant_id: id }) => id)).toEqual(
      made.flatMap(({ variants }) => variants.map(({ id }) => String(id))),
    );
    expect(new Set(links.map(({ product_id }) => product_id)).size).toBe(4);
    expect(links).toEqual(links.map((link) => ({ ...link, state: 'linked', linked_by: 'import' })));
    expect(await runsLeft(seller)).toBe(left);
    const counted = await eventually(
      () => catalogueOf(seller),
      (all) => [...all.values()].every(({ quantity_on_hand: units }) => units !== null),
    );
    expect([...counted.values()].map(({ quantity_on_hand: units }) => units)).toEqual(Array(4).fill(UNITS));

    const { status, body } = await seller.call<Run>('POST', `/products/feed-runs/${commit.run_id}/revert`);
    expect([status, body.counts.not_attempted]).toEqual([201, 0]);
    await followed(stores, body.run_id);
    expect((await catalogueOf(seller)).size).toBe(0);
    expect((await linksOf(stores, channel_id)).map(({ state, product_id }) => [state, product_id])).toEqual(
      Array(4).fill(['unlinked', null]),
    );
  });

  test('after a new connection of the same store doubles nothing, whatever the store has renamed', async () => {
    const seller = await stores.seller();
    const { channel_id, preview, shop, domain, made } = await storeWith(stores, seller, goodsOf(3));
    await commitImport(stores, seller, preview);
    const before = await catalogueOf(seller);
    const [first, second] = made;
    if (first === undefined || second === undefined) throw new Error('no products');
    shop.catalogue.changeProduct(first.id, { handle: 'another-handle', title: 'Another title' });
    const variants = second.variants.map((variant) => ({ ...variant, sku: 'RENAMED' }));
    shop.catalogue.changeProduct(second.id, { handle: 'a-third-handle', variants });
    await seller.call('POST', `/channels/${channel_id}/disconnect`, { json: {} });
    await eventually(
      () => readChannel(seller, channel_id),
      ({ removal }) => removal?.status === 'done',
    );
    const again = await connectStore(stores, seller, { shop: domain });
    expect(again.channel_id).toBe(channel_id);
    const [run] = await eventually(
      () => importsOf(seller),
      ([newest]) => newest?.status === 'succeeded' && newest.run_id !== preview.run_id,
    );
    if (run === undefined) throw new Error('no run');
    expect(run.counts).toMatchObject({ rows: 3, created: 0, staged: 0, updated: 2, unchanged: 1 });
    await commitImport(stores, seller, run);
    const after = await catalogueOf(seller);
    expect([...after.values()].map(({ product_id }) => product_id).sort()).toEqual(
      [...before.values()].map(({ product_id }) => product_id).sort(),
    );
    expect(after.get('RENAMED')?.product_id).toBe(before.get('MUG-1')?.product_id);
    expect(await linksOf(stores, channel_id)).toHaveLength(3);
  });

  test('finds the products of an earlier file', async () => {
    const seller = await stores.seller({ plan: 'Small' });
    const header = { 'content-type': 'text/csv', 'idempotency-key': 'file' };
    const file =
      'Handle,Title,Body (HTML),Vendor,Variant SKU,Variant Price,Option1 Name,Option1 Value,Variant Barcode,Status\n';
    const body = `${file}mug-0,MUG 0,,Mia Ceramics,MUG-0,24.90,Title,Default Title,,active\n`;
    const path = '/products/import-profiles?profile=store_platform_products';
    expect((await seller.call('POST', path, { headers: header, body })).status).toBe(201);
    const { channel_id, preview } = await storeWith(stores, seller, goodsOf(2));
    expect(preview.counts).toMatchObject({ rows: 2, staged: 1, created: 0 });
    await commitImport(stores, seller, preview);
    expect((await catalogueOf(seller)).size).toBe(2);
    expect(await linksOf(stores, channel_id)).toHaveLength(2);
  });

  test('without a preview is applied at once', async () => {
    const seller = await stores.seller();
    const { channel_id } = await storeWith(stores, seller, goodsOf(2));
    const { status, body, headers } = await beginImport(seller, channel_id, false);
    expect([status, body.status, headers.get('location')]).toEqual([
      ...[202, 'received', `/api/v1/products/feed-runs/${body.run_id}`],
    ]);
    expect((await ended(seller, body.run_id)).status).toBe('succeeded');
    await followed(stores, body.run_id);
    expect((await linksOf(stores, channel_id)).map(({ state }) => state)).toEqual(['linked', 'linked']);
  });

  test('of an empty store succeeds without rows', async () => {
    const seller = await stores.seller();
    const { preview } = await storeWith(stores, seller, []);
    expect([preview.status, preview.counts.rows]).toEqual(['succeeded', 0]);
  });

  test('waits while the store throttles, and says how far it is', async () => {
    const seller = await stores.seller();
    const { channel_id, shop } = await storeWith(stores, seller, goodsOf(40));
    shop.bucket.drain(1_000, 900);
    const { body } = await beginImport(seller, channel_id, true);
    const half = await eventually(
      () => lastOf(seller, body.run_id),
      ({ progress }) => progress.rows_done > 0,
    );
    expect(half.progress.rows_done).toBeLessThanOrEqual(40);
    expect((await ended(seller, body.run_id)).counts.rows).toBe(40);
    expect(shop.bucket.throttled).toBeGreaterThan(0);
  });
});

const lastOf = async ({ call }: TestSeller, runId: string) =>
  (await call<Run>('GET', `/products/feed-runs/${runId}`)).body;

describe('an import does not happen', () => {
  test('twice at once, or while the store is not connected', async () => {
    const seller = await stores.seller();
    const { channel_id, shop } = await storeWith(stores, seller, goodsOf(2));
    shop.bucket.drain(1_000, 200);
    const first = await beginImport(seller, channel_id, true);
    const second = await beginImport(seller, channel_id, true);
    expect(second).toMatchObject({
      status: 409,
      body: { code: 'import_running', run_id: first.body.run_id },
    });
    const cancelled = await seller.call('POST', `/products/feed-runs/${first.body.run_id}/cancel`);
    expect(cancelled.status).toBe(200);
    await seller.call('POST', `/channels/${channel_id}/disconnect`, { json: {} });
    const late = await beginImport(seller, channel_id, true);
    expect([late.status, late.body.code]).toEqual([409, 'channel_not_connected']);
    expect((await beginImport(await stores.seller(), channel_id, true)).status).toBe(404);
  });

  test.each([
    ['does not answer', 503, 'store_unreachable'],
    ['refuses', 403, 'store_refused'],
  ])('if the store %s while it is read', async (_how, fault, code) => {
    const seller = await stores.seller();
    const { channel_id, shop } = await storeWith(stores, seller, goodsOf(2));
    shop.faults.status = fault;
    const { body } = await beginImport(seller, channel_id, false);
    expect(await ended(seller, body.run_id)).toMatchObject({ status: 'failed', error: { code } });
    expect((await catalogueOf(seller)).size).toBe(0);
    shop.faults.status = undefined;
  });

  test('for a run that is cancelled while the store is read', async () => {
    const seller = await stores.seller();
    const { channel_id, shop } = await storeWith(stores, seller, goodsOf(2));
    shop.bucket.drain(1_000, 300);
    const { body } = await beginImport(seller, channel_id, false);
    const { status } = await seller.call('POST', `/products/feed-runs/${body.run_id}/cancel`);
    expect(status).toBe(200);
    await eventually(
      () => importJobs(seller),
      (count) => count === 0,
    );
    expect((await lastImport(seller)).status).toBe('cancelled');
    expect((await catalogueOf(seller)).size).toBe(0);
  });
});

const importJobs = ({ seller_id }: TestSeller): Promise<number | null> =>
  runOn(stores.database.adminUrl, async (client) => {
    const found = "select from job where kind = 'channels.import' and seller_id = $1";
    return (await client.query(found, [seller_id])).rowCount;
  });

test('the rejected rows of an import are a file that can be corrected', async () => {
  const seller = await stores.seller();
  const { preview } = await storeWith(stores, seller, [
    { title: 'x'.repeat(300), variants: [{ sku: 'LONG' }] },
  ]);
  const rows = await rowsOf(seller, preview.run_id);
  expect(rows.map(({ outcome }) => outcome)).toEqual(['rejected']);
  const { text } = await seller.call(
    'GET',
    `/products/feed-runs/${preview.run_id}/row-results?outcome=rejected&format=csv`,
  );
  expect(text.split('\r\n')[0]).toContain('Handle');
});
