import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../test/support/app.ts';
import { eventually } from '../../test/support/feeds.ts';
import { callInternal } from '../../test/support/internal.ts';
import { type Order, post, shipAll } from '../../test/support/orders.ts';
import { create } from '../../test/support/products.ts';
import { createTrader } from './trader.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-01T00:00:00Z' });
const { now, log } = app.app.services;
const trader = createTrader({
  internalUrl: app.internalUrl,
  token: app.internalToken,
  now,
  log,
  seed: 7,
  run: 'test',
});

const orderSteps = async (seller: TestSeller, query = ''): Promise<readonly Order[]> =>
  (await seller.call<{ data: Order[] }>('GET', `/orders?limit=200${query}`)).body.data;

/** Moves the clock in steps of ten seconds, with a step of the trader after each. */
async function pass(seconds: number): Promise<void> {
  for (let gone = 0; gone < seconds; gone += 10) {
    const body = { now: new Date(now() + 10_000).toISOString() };
    const { status } = await callInternal(app, 'POST', '/internal/v1/clock', { body });
    expect(status).toBe(200);
    await trader.step();
  }
}

async function ship(seller: TestSeller, { order_id }: Order): Promise<void> {
  await post(seller, `${order_id}/accept`);
  await shipAll(seller, order_id);
}

test('the trader approves products, places and pays orders and delivers parcels, and no event is rejected', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { product_id: id } = await create(seller, { quantity_on_hand: 500 });
  const numbered = () => seller.call<{ last_sequence: number }>('GET', '/webhooks/events');
  await eventually(numbered, ({ body }) => body.last_sequence >= 3);
  await pass(120);
  const product = await seller.call<{ curation: { state: string } }>('GET', `/products/${id}`);
  expect(product.body.curation.state).toBe('approved');
  const placed = await orderSteps(seller, '&status=awaiting_acceptance');
  expect(placed.length).toBeGreaterThan(1);
  expect(new Set(placed.map(({ payment_status }) => payment_status))).toContain('captured');
  for (const { ship_to } of placed)
    expect(ship_to).toMatchObject({ country: 'AU', postcode: expect.stringMatching(/^\d{4}$/) });
  const before = await numbered();
  for (const order of placed) await ship(seller, order);
  await eventually(numbered, ({ body }) => body.last_sequence > before.body.last_sequence + placed.length);
  await pass(300);
  const arrived = new Set((await orderSteps(seller, '&status=delivered')).map(({ order_id }) => order_id));
  for (const { order_id } of placed) expect(arrived).toContain(order_id);
  const { text } = await callInternal(app, 'GET', '/metrics');
  expect(text).toContain(
    'spp_marketplace_events_total{type="marketplace.shipment.delivered",status="applied"}',
  );
  expect(text).not.toMatch(/spp_marketplace_events_total\{[^}]*status="rejected"\}/);
});

test('a seller with 25 unanswered orders gets no more', async () => {
  const seller = await app.seller();
  await create(seller, { quantity_on_hand: 500 });
  await eventually(
    () => seller.call<{ last_sequence: number }>('GET', '/webhooks/events'),
    ({ body }) => body.last_sequence >= 2,
  );
  await pass(1_500);
  expect(await orderSteps(await seller.renew())).toHaveLength(25);
});

test('buyers order no more than the stock', async () => {
  const seller = await app.seller();
  const { product_id: id } = await create(seller, { quantity_on_hand: 3 });
  await eventually(
    () => seller.call<{ last_sequence: number }>('GET', '/webhooks/events'),
    ({ body }) => body.last_sequence >= 2,
  );
  await pass(300);
  const orders = await orderSteps(seller);
  expect(orders.length).toBeGreaterThan(1);
  expect(orders.flatMap(({ attention }) => attention)).toEqual([]);
  const stock = await seller.call<{ quantity_available: number }>('GET', `/products/${id}`);
  expect(stock.body.quantity_available).toBe(0);
});
