/** Facts by day, the nights, and the payloads that they keep. */
import Type from 'typebox';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { afterJobs, untilJobsRest } from '../../../../test/support/jobs.ts';
import {
  apply,
  approve,
  orderEvent,
  placement,
  placeOrder,
  post,
  stocked,
} from '../../../../test/support/orders.ts';
import { sql } from '../../../../test/support/sql.ts';
import type { NightStep } from '../../../kernel/night-step.ts';
import { acting } from '../../../platform/acting.ts';
import { auditFacts, readSeries, readSnapshot, saveSnapshot } from '../index.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-09-28T00:00:00Z', LOG_LEVEL: 'silent' });
const { services } = app.app;
const own = services.modules;

async function moveTo(now: string): Promise<void> {
  expect((await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } })).status).toBe(200);
}
const scoped = <T>({ seller_id }: TestSeller, work: (ctx: ReturnType<typeof acting>) => Promise<T>) =>
  services.withSeller(seller_id, 'write', (db) => work(acting(services, { db, seller_id })));
const factsOf = (seller: TestSeller) =>
  scoped(seller, ({ db }) =>
    db.all(
      sql(`select day::text, demand_units, ordered_units, ordered_minor::int, other_units
             from fact_sku_day order by day, product_id`),
    ),
  );
const read = (seller: TestSeller) =>
  scoped(seller, (ctx) =>
    readSnapshot({ ...ctx, services }, 'test.body.v1', Type.Object({ n: Type.Number() })),
  );
const jobsOf = ({ seller_id }: TestSeller) =>
  services.withSystem('jobs', 'read', (db) =>
    db.all(sql(`select kind from job where kind = 'facts.roll' and seller_id = $1`, [seller_id])),
  );
/** Runs the night of the seller now. */
async function roll({ seller_id }: TestSeller): Promise<void> {
  const job = { kind: 'facts.roll', sellerId: seller_id, uniqueKey: seller_id, dueAt: services.now() };
  await services.withSystem('jobs', 'single', (db) => services.jobs.add(db, job));
  await untilJobsRest(app);
}

test('demand keeps what the seller refused, and leaves out what the buyer cancelled', async () => {
  let seller = await app.seller();
  const { sku } = await stocked(seller, 100);
  await moveTo('2026-09-29T00:00:00Z');
  seller = await seller.renew();
  const order = (quantity: number) => placeOrder(app, seller, [{ sku, quantity }]);
  const done = async (id: string, action: string, json = {}) =>
    expect(await post(seller, `${id}/${action}`, json)).toMatchObject({ status: 200 });
  await done(await order(1), 'reject', { reason: 'other' });
  const both = await order(7);
  await done(both, 'accept');
  const { body } = await seller.call<{ lines: { order_line_id: string }[] }>('GET', `/orders/${both}`);
  await done(both, 'cancel', {
    reason: 'other',
    lines: [{ order_line_id: body.lines[0]?.order_line_id, quantity: 2 }],
  });
  await apply(
    app,
    orderEvent(app, seller, 'order.cancelled', both, {
      by: 'buyer',
      lines: [{ order_line_no: 1, quantity: 1 }],
    }),
  );
  await placeOrder(app, seller, [{ sku, quantity: 4, price: 100 }], { currency: 'NZD' });
  await moveTo('2026-09-30T20:00:00Z');
  expect(await factsOf(seller)).toEqual([
    { day: '2026-09-29', demand_units: 11, ordered_units: 8, ordered_minor: 16_000, other_units: 4 },
  ]);
});

test('an order that is told late stands on its day after the next night', async () => {
  const seller = await app.seller();
  const { sku } = await stocked(seller, 100);
  await roll(seller);
  // 23:59 in Sydney, and a minute later.
  const at = (placed_at: string) => placement(app, seller, [{ sku }], { placed_at });
  await apply(app, at('2026-09-20T13:59:00Z'), at('2026-09-20T14:00:00Z'));
  expect(await factsOf(seller)).toEqual([]);
  await roll(seller);
  expect(await factsOf(seller)).toMatchObject([{ day: '2026-09-20' }, { day: '2026-09-21' }]);
  await moveTo('2026-10-01T00:00:00Z');
  const writers = () =>
    scoped(seller, ({ db }) => db.all(sql(`select day::text, xmin::text from fact_sku_day`)));
  const before = await writers();
  await scoped(seller, ({ db }) => db.run(sql(`update sales_order set updated_at = '2026-09-30T22:00:00Z'`)));
  await roll(seller);
  // The orders have changed, and their facts have not.
  expect(await writers()).toEqual(before);
  expect(await scoped(seller, auditFacts)).toEqual([]);
  await scoped(seller, ({ db }) => db.run(sql(`update fact_sku_day set demand_units = 7`)));
  expect(await scoped(seller, auditFacts)).toHaveLength(2);
});

test('stock that runs out, products that are hidden and closings are time without exposure', async () => {
  await moveTo('2026-10-02T14:00:00Z');
  const started = await app.seller();
  let seller = started;
  const { sku, product_id } = await stocked(seller, 1);
  await stocked(seller, 0);
  await approve(app, seller, product_id);
  const put = (quantity: number | null) =>
    seller.call('PUT', `/products/${product_id}/inventory`, { json: { quantity } });
  await placeOrder(app, seller, [{ sku }]);
  // Half of Saturday: from noon. Sunday has 23 hours and ends at 13:00 UTC.
  await put(0);
  for (const [at, quantity] of [
    ['2026-10-03T02:00:00Z', 5],
    ['2026-10-04T10:00:00Z', 0],
    ['2026-10-04T13:00:00Z', null],
  ] as const) {
    await moveTo(at);
    seller = await started.renew();
    expect((await put(quantity)).status).toBe(200);
  }
  const holiday = { closed_from: '2026-10-06', closed_to: '2026-10-06', mode: 'hide' };
  expect((await seller.call('PATCH', '/sellers/me/holiday', { json: holiday })).status).toBe(200);
  await moveTo('2026-10-07T20:00:00Z');
  const [series] = await scoped(seller, (ctx) => readSeries(ctx, [product_id]));
  expect(series).toMatchObject({ from: '2026-10-03', units: [1, 0, 0, 0, 0], days_unknown: 0 });
  const exposure = series?.exposure.map((share) => Math.round(share * 1000)) ?? [];
  expect(exposure).toEqual([500, 870, 1000, 0, 1000]);
  seller = await started.renew();
  const path = `/products/${product_id}`;
  expect((await seller.call('PATCH', path, { json: { status: 'inactive' } })).status).toBe(200);
  await moveTo('2026-10-08T20:00:00Z');
  await moveTo('2026-10-09T20:00:00Z');
  const [hidden] = await scoped(seller, (ctx) => readSeries(ctx, [product_id], { from: '2026-10-08' }));
  expect(hidden).toMatchObject({ units: [0, 0], exposure: [1, 0] });
});

test('steps run in their order for the entitled, and a failed one leaves the others', async () => {
  const ran: string[] = [];
  let broken = true;
  const step = (name: NightStep['name'], more: Partial<NightStep> = {}): NightStep => ({
    name,
    run: async (ctx, { through_on, standing }) => {
      saveSnapshot(ctx, `${name}.test.v1`, { facts_through_on: through_on, body: standing.plan });
      if (name === 'quality' && broken) throw new Error('broken');
      ran.push(name);
    },
    ...more,
  });
  const nightSteps = [
    step('pricing', { feature: 'pricing', flag: 'pricing' }),
    step('customer', { feature: 'customer_analytics' }),
    step('forecasting'),
    step('quality'),
  ];
  const module = own.find(({ name }) => name === 'facts');
  Object.assign(services, { modules: [{ ...module, nightSteps }] });
  const contracts = (seller: TestSeller) =>
    scoped(seller, ({ db }) => db.all(sql('select contract from insight_snapshot order by contract')));
  try {
    const [big, small] = [await app.seller({ plan: 'Big' }), await app.seller({ plan: 'Small' })];
    await roll(big);
    await roll(small);
    expect(ran).toEqual(['forecasting', 'customer', 'forecasting']);
    expect(await contracts(big)).toEqual([
      { contract: 'customer.test.v1' },
      { contract: 'forecasting.test.v1' },
    ]);
    // The job is tried again.
    broken = false;
    await moveTo(new Date(services.now() + 660_000).toISOString());
    expect(await contracts(small)).toEqual([
      { contract: 'forecasting.test.v1' },
      { contract: 'quality.test.v1' },
    ]);
    expect(await jobsOf(big)).toEqual([]);
  } finally {
    Object.assign(services, { modules: own });
  }
});

test('a payload is not computed, then fresh until six in the morning, then stale', async () => {
  const seller = await app.seller();
  const other = await app.seller();
  await moveTo('2026-11-01T20:00:00Z');
  expect(await read(seller)).toMatchObject({
    frame: { cache_status: 'none', semantic_status: 'not_computed', retry_after_seconds: 15 },
    body: null,
  });
  // More reads at once than a seller has connections, each of which it keeps while it asks for the night.
  await Promise.all(Array.from({ length: 40 }, () => read(seller)));
  await eventually(
    () => jobsOf(seller),
    ({ length }) => length === 1,
  );
  // The last of the reads may ask after the night has begun.
  await afterJobs(
    app,
    () => jobsOf(seller),
    ({ length }) => length === 0,
  );
  await scoped(seller, async (ctx) =>
    saveSnapshot(ctx, 'test.body.v1', { facts_through_on: '2026-11-01', body: { n: 1 } }),
  );
  expect(await read(seller)).toMatchObject({
    frame: { cache_status: 'fresh', semantic_status: 'complete', facts_through_on: '2026-11-01' },
    body: { n: 1 },
  });
  expect((await read(other)).body).toBeNull();
  await moveTo('2026-11-02T18:59:00Z');
  expect((await read(seller)).frame).toMatchObject({ cache_status: 'fresh' });
  await moveTo('2026-11-02T19:00:00Z');
  expect(await read(seller)).toMatchObject({
    frame: { cache_status: 'stale', semantic_status: 'partial', missing_components: ['recent_days'] },
    body: { n: 1 },
  });
});
