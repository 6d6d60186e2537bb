import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Logger } from '../../src/kernel/context.ts';
import { startTestApp, type TestSeller } from '../../test/support/app.ts';
import { eventually, feed, type Run } from '../../test/support/feeds.ts';
import { callInternal } from '../../test/support/internal.ts';
import { type Order, post, shipAll } from '../../test/support/orders.ts';
import { create } from '../../test/support/products.ts';
import { demoEvent } from '../demo-event.ts';
import { createTradePlan } from './plan-trade.ts';
import { createTrader } from './trader.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-01T00:00:00Z' });
const { now, log } = app.app.services;
const trader = createTrader({
  internalUrl: app.internalUrl,
  token: app.internalToken,
  now,
  log,
  plans: [createTradePlan(7, 'test')],
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

test('after a feed of more products than one request may hold, orders arrive and every product is reviewed', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const rows = Array.from(
    { length: 2_500 },
    (_, index) => `BIG-${index},Mug ${index},exempt,handmade,9.90,50`,
  );
  const file = ['seller_sku,title,identity_strategy,exempt_reason,price,quantity', ...rows].join('\n');
  const { body } = await feed<Run>(seller, file);
  expect(body.counts.created).toBe(rows.length);
  await eventually(
    () => seller.call<{ last_sequence: number }>('GET', '/webhooks/events'),
    ({ body: { last_sequence } }) => last_sequence >= rows.length,
  );
  await pass(60);
  expect((await orderSteps(seller)).length).toBeGreaterThan(0);
  const pending = await seller.call<{ data: unknown[] }>('GET', '/products?curation=pending&limit=1');
  expect(pending.body.data).toEqual([]);
});

/** A marketplace listener that answers every batch with `answer`; and what the trader logs. */
async function listener(answer: (ids: readonly string[]) => { status: number; body: object }) {
  const batches: string[][] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const outbox = { data: [], next_after: '0', has_more: false };
    const sent =
      request.method === 'POST' ? (JSON.parse(Buffer.concat(chunks).toString()) as { id: string }[]) : [];
    const ids = sent.map(({ id }) => id);
    if (request.method === 'POST') batches.push(ids);
    const { status, body } = request.method === 'POST' ? answer(ids) : { status: 200, body: outbox };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const warnings: object[] = [];
  const quiet = () => undefined;
  const log: Logger = {
    debug: quiet,
    info: quiet,
    error: quiet,
    warn: (fields) => void warnings.push(fields),
  };
  const event = (index: number) => ({
    at: 0,
    event: demoEvent({ id: `e-${index}`, type: 'order.placed', at: 0, data: {} }),
  });
  const past = { sellerId: 'slr_past', pending: Array.from({ length: 1_200 }, (_, index) => event(index)) };
  const internalUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const plans = [createTradePlan(7, 'test', past)];
  const options = { internalUrl, token: 'token', now: () => 1, log, plans };
  return { batches, warnings, trader: createTrader(options) };
}

test('events go in slices of 500; refused ones are tried three times and then named with the cause', async () => {
  const {
    batches,
    warnings,
    trader: own,
  } = await listener((ids) =>
    ids.includes('e-600')
      ? { status: 422, body: { detail: 'The batch is refused.' } }
      : {
          status: 200,
          body: {
            results: ids.map((id) => ({
              id,
              status: id === 'e-7' ? 'rejected' : 'applied',
              code: 'data_invalid',
            })),
          },
        },
  );
  for (let round = 0; round < 4; round += 1) await own.step();
  expect(batches.map((ids) => ids.length)).toEqual([500, 500, 200, 500, 1, 500]);
  expect(warnings).toHaveLength(500);
  expect(warnings).toContainEqual({
    event: 'e-7',
    type: 'marketplace.order.placed',
    cause: expect.stringContaining('The batch is refused.'),
  });
});

test('a service that cannot answer gets the same events again', async () => {
  let down = true;
  const {
    batches,
    warnings,
    trader: own,
  } = await listener((ids) =>
    down
      ? { status: 503, body: { detail: 'Try again.' } }
      : { status: 200, body: { results: ids.map((id) => ({ id, status: 'applied' })) } },
  );
  await expect(own.step()).rejects.toThrow(/503 .*Try again/);
  down = false;
  await own.step();
  expect(batches.map((ids) => ids.length)).toEqual([500, 500, 500, 200]);
  expect(warnings).toEqual([]);
});
