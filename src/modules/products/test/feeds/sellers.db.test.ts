import { expect, test } from 'vitest';
import { MANY_CONNECTIONS, startTestApp } from '../../../../../test/support/app.ts';
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
import { mug } from '../../../../../test/support/products.ts';
import { runOn } from '../../../../../test/support/test-server.ts';

const app = await startTestApp(MANY_CONNECTIONS);
const make = () => app.seller({ plan: 'Big' });

test('two sellers with the same SKUs, keys, codes and files never see each other’s products', async () => {
  const [one, two] = [await make(), await make()];
  const pair = { identity_strategy: 'mpn_brand', exempt_reason: '', mpn: 'M-1', brand: 'Clay' };
  const file = csv([goods('A', { title: 'Same' }), goods('B', pair)]);
  const runs = await Promise.all([one, two].map((seller) => feed(seller, file, { key: 'same' })));
  expect(runs.map(({ status }) => status)).toEqual([201, 201]);
  expect(runs[0]?.body.run_id).not.toBe(runs[1]?.body.run_id);
  await applied(one, csv([goods('A', { title: 'Changed' })]));
  expect((await catalogueOf(two)).get('A')).toMatchObject({ title: 'Same', version: 1 });
  const list = await two.call<{ data: Run[] }>('GET', '/products/feed-runs');
  expect(list.body.data).toHaveLength(1);
  expect((await two.call('GET', `/products/feed-runs/${runs[0]?.body.run_id}`)).status).toBe(404);
  const rows = await rowsOf(two, runs[1]?.body.run_id ?? '');
  expect(rows.map(({ identity_resolution }) => identity_resolution?.['candidates'])).toEqual([[], []]);
});

test('a row cannot name a product of another seller', async () => {
  const [one, two] = [await make(), await make()];
  await applied(one, csv([goods('A')]));
  const id = (await catalogueOf(one)).get('A')?.product_id ?? '';
  const named = { identity_strategy: 'product_id', exempt_reason: '', product_id: id };
  const answer = await feed<{ row_results: { messages: { code: string }[] }[] }>(
    two,
    csv([goods('X', named)]),
  );
  expect(answer.status).toBe(422);
  expect(answer.body.row_results[0]?.messages[0]?.code).toBe('identity_not_found');
});

test('concurrent feeds of one seller execute one after the other', async () => {
  const seller = await make();
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      feed(
        seller,
        goodsFile(400, 'SHARED', () => ({ title: `By ${index}`, quantity: index })),
      ),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
  const created = answers.map(({ body }) => body.counts.created);
  expect(created.sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 400]);
  const products = [...(await catalogueOf(seller)).values()];
  expect(products).toHaveLength(400);
  // All products are those of one feed, the last.
  expect(new Set(products.map(({ title, quantity_on_hand }) => `${title} ${quantity_on_hand}`)).size).toBe(1);
  expect(new Set(products.map(({ version }) => version))).toEqual(new Set([6]));
});

test('single writes and a feed at the same time keep each other’s changes', async () => {
  const seller = await make();
  await applied(seller, goodsFile(1_000, 'LIVE'));
  const ids = new Map([...(await catalogueOf(seller))].map(([sku, { product_id }]) => [sku, product_id]));
  const running = feed(
    seller,
    goodsFile(1_000, 'LIVE', () => ({ brand: 'Fed' })),
  );
  await eventually(
    async () => (await seller.call<{ data: Run[] }>('GET', '/products/feed-runs')).body.data,
    (runs) => runs[0]?.status !== 'succeeded' || runs.length === 2,
  );
  const single = await Promise.all([
    ...Array.from({ length: 10 }, (_, index) =>
      seller.call('PATCH', `/products/${ids.get(`LIVE-${990 - index}`)}`, { json: { category: 'Mine' } }),
    ),
    ...Array.from({ length: 10 }, (_, index) =>
      seller.call('PUT', `/products/${ids.get(`LIVE-${index + 1}`)}/inventory`, { json: { quantity: 777 } }),
    ),
    ...Array.from({ length: 5 }, () => seller.call('POST', '/products', { json: mug() })),
  ]);
  expect((await running).status).toBe(201);
  expect(single.map(({ status }) => status).filter((status) => status > 201)).toEqual([]);
  const after = await catalogueOf(seller);
  for (let index = 0; index < 10; index += 1)
    expect(after.get(`LIVE-${990 - index}`)).toMatchObject({ category: 'Mine', brand: 'Fed' });
  expect(after.size).toBe(1_005);
});

test('a feed that waits for a lock does not delay another seller', async () => {
  const [one, two] = [await make(), await make()];
  await applied(one, csv([goods('LOCKED')]));
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from product where seller_id = $1 for update', [one.seller_id]);
    const waiting = feed(one, csv([goods('LOCKED', { title: 'Late' })]));
    await eventually(
      async () =>
        (
          await client.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          )
        ).rowCount,
      (count) => (count ?? 0) > 0,
    );
    const others = await Promise.all(
      Array.from({ length: 4 }, (_, index) => feed(two, csv([goods(`S-${index}`)]))),
    );
    expect(others.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const { body } = await one.call<{ data: Run[] }>('GET', '/products/feed-runs');
    expect(['received', 'validating', 'applying']).toContain(body.data[0]?.status);
    await client.query('commit');
    expect((await waiting).status).toBe(201);
  });
});

test('twenty feeds of one seller leave connections for other sellers', async () => {
  const [one, two] = [await make(), await make()];
  const many = Array.from({ length: 20 }, (_, index) => feed(one, goodsFile(60, `M${index}`)));
  await eventually(
    async () => (await one.call<{ data: Run[] }>('GET', '/products/feed-runs')).body.data.length,
    (count) => count > 3,
  );
  expect((await feed(two, csv([goods('S')]))).status).toBe(201);
  const answers = await Promise.all(many);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
});
