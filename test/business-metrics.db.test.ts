/** What the metrics say of the business. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { startTestApp } from './support/app.ts';
import { feed, goodsFile } from './support/feeds.ts';
import { callInternal } from './support/internal.ts';
import { placeOrder, post, stocked } from './support/orders.ts';
import { POLL } from './support/webhook-seller.ts';

const app = await startTestApp();

/** The value of a series; undefined before its first one. */
async function value(series: string): Promise<number | undefined> {
  const { text } = await callInternal(app, 'GET', '/metrics');
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test('the release that runs and the connections of each pool', async () => {
  expect(await value(`spp_build_info{version="${manifest.version}",node="${process.version}"}`)).toBe(1);
  for (const pool of ['short', 'long'])
    expect(await value(`spp_db_connections{pool="${pool}",state="waiting"}`)).toBe(0);
});

test('rows of feed runs by outcome, without those of dry runs', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const bad = goodsFile(2, 'm').replace('24.99', 'free');
  const of = async (outcome: string) => (await value(`spp_feed_rows_total{outcome="${outcome}"}`)) ?? 0;
  const before = [await of('created'), await of('rejected')];
  expect((await feed(seller, bad, { query: 'dry_run=true' })).status).toBe(201);
  expect((await feed(seller, bad)).status).toBe(201);
  expect([await of('created'), await of('rejected')]).toEqual(before.map((count) => count + 1));
});

test('open orders, and events by type', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const placed = (await value('spp_events_total{type="order.created"}')) ?? 0;
  const order = await placeOrder(app, seller, [{ sku: (await stocked(seller, 1)).sku }]);
  expect(await value('spp_orders_open{state="to_accept"}')).toBe(1);
  await post(seller, `${order}/accept`);
  expect([
    await value('spp_orders_open{state="to_accept"}'),
    await value('spp_orders_open{state="to_dispatch"}'),
  ]).toEqual([0, 1]);
  await expect.poll(() => value('spp_events_total{type="order.created"}'), POLL).toBe(placed + 1);
});

test.skipIf(spawnSync('promtool', ['--version']).error !== undefined)('promtool reads a scrape', async () => {
  const { text } = await callInternal(app, 'GET', '/metrics');
  const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => line.startsWith('spp_'));
  expect(lines).toEqual([]);
});
