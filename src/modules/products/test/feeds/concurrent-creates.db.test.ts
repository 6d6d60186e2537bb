/** Single writes and a feed of the same seller run concurrently without waiting, and never exceed the plan limit. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  csv,
  eventually,
  feed,
  goods,
  goodsFile,
  type Run,
  rowsOf,
} from '../../../../../test/support/feeds.ts';
import { create, mug } from '../../../../../test/support/products.ts';

const app = await startTestApp();
const FREE_PRODUCTS = 100;

const used = async (seller: TestSeller): Promise<number | undefined> => {
  const { body } = await seller.call<{ limits: Record<string, { used: number }> }>(
    'GET',
    '/billing/entitlements',
  );
  return body.limits['products']?.used;
};

interface Hold {
  /** Waits until another transaction waits for the product. */
  met(): Promise<unknown>;
  release(): Promise<void>;
}

/** Locks a product, as another writer does. */
async function hold(seller: TestSeller, productId: string): Promise<Hold> {
  const free = Promise.withResolvers<void>();
  const held = Promise.withResolvers<number>();
  const done = app.app.services.withSeller(seller.seller_id, 'write', async (db) => {
    await db.run({ text: 'select 1 from product where product_id = $1 for update', values: [productId] });
    const row = await db.one<{ pid: number }>({ text: 'select pg_backend_pid() as pid', values: [] });
    held.resolve(row?.pid ?? 0);
    await free.promise;
  });
  const pid = await held.promise;
  const waiting = 'select pid from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))';
  return {
    met: () =>
      eventually(
        () =>
          app.app.services.withSystem('metrics', 'read', (db) => db.all({ text: waiting, values: [pid] })),
        (rows) => rows.length > 0,
      ),
    release: () => {
      free.resolve();
      return done;
    },
  };
}

test('a product is created while a feed that has created products still writes', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const anchor = await create(seller, { seller_sku: 'LAST' });
  const held = await hold(seller, anchor.product_id);
  // More than two batches, so that the first is written when the last waits for the locked product.
  const rows = Array.from({ length: 2_500 }, (_, index) => goods(`F-${index}`));
  const running = feed<Run>(seller, csv([...rows, goods('LAST', { title: 'Changed' })]));
  await eventually(
    async () => (await seller.call<{ data: Run[] }>('GET', '/products/feed-runs')).body.data,
    ([run]) => (run?.progress.rows_done ?? 0) >= 1_000,
  );
  const concurrent = await seller.call('POST', '/products', { json: mug() });
  const archived = await create(seller);
  const gone = await seller.call('DELETE', `/products/${archived.product_id}`);
  await held.release();
  const run = await running;
  expect([concurrent.status, gone.status]).toEqual([201, 200]);
  expect(run.body.counts).toMatchObject({ created: 2_500, updated: 1, rejected: 0 });
  expect(await used(seller)).toBe(2_502);
});

test('the first commit gets the last place of the plan; the feed rejects its row', async () => {
  const seller = await app.seller();
  await applied(seller, goodsFile(FREE_PRODUCTS - 2, 'A'));
  const first = (await catalogueOf(seller)).get('A-1');
  const held = await hold(seller, String(first?.product_id));
  const running = feed<Run>(seller, csv([goods('A-1', { title: 'Changed' }), goods('N-1'), goods('N-2')]));
  await held.met();
  const concurrent = await seller.call('POST', '/products', { json: mug() });
  await held.release();
  const run = await running;
  expect(concurrent.status).toBe(201);
  expect(run.body.counts).toMatchObject({ updated: 1, created: 1, rejected: 1 });
  const rows = await rowsOf(seller, run.body.run_id);
  expect(rows[2]?.messages[0]?.code).toBe('plan_limit_reached');
  expect(await used(seller)).toBe(FREE_PRODUCTS);
  expect((await catalogueOf(seller)).size).toBe(FREE_PRODUCTS);
});

test('402 for a commit beyond the plan limit; it changes nothing', async () => {
  const seller = await app.seller();
  await applied(seller, goodsFile(FREE_PRODUCTS - 1, 'A'));
  const preview = await applied(seller, csv([goods('N-1')]), { query: 'dry_run=true' });
  await create(seller);
  const answer = await seller.call('POST', `/products/feed-runs/${preview.run_id}/commit`);
  expect(answer).toMatchObject({
    status: 402,
    body: { error: 'tier_limit_exceeded', current_usage: FREE_PRODUCTS, limit: FREE_PRODUCTS },
  });
  expect(await used(seller)).toBe(FREE_PRODUCTS);
});

test('concurrent creates never exceed the plan limit, and rejected ones do not count', async () => {
  const seller = await app.seller();
  await applied(seller, goodsFile(FREE_PRODUCTS - 3, 'A'));
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      seller.call<{ current_usage: number }>('POST', '/products', { json: mug() }),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  for (const { status, body } of answers)
    if (status !== 201) expect([status, body.current_usage]).toEqual([402, FREE_PRODUCTS]);
  expect(await used(seller)).toBe(FREE_PRODUCTS);
});
