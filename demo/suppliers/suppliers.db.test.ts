/** The suppliers of the demo against the service: they speak only the internal routes. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../test/support/app.ts';
import { eventually } from '../../test/support/feeds.ts';
import { callInternal } from '../../test/support/internal.ts';
import { type Order, placeOrder } from '../../test/support/orders.ts';
import { openRfq, quotesOf, readRfq } from '../../test/support/sourcing.ts';
import { listItem, unitsOf } from '../../test/support/supplier.ts';
import { createTrader } from '../trade/trader.ts';
import { createSupplierPlan } from './plan-suppliers.ts';
import { CLAY, WAX } from './shops.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-01T00:00:00Z' });
const { now, log } = app.app.services;
const start = (run: string) =>
  createTrader({
    ...{ internalUrl: app.internalUrl, token: app.internalToken, now, log },
    plans: [createSupplierPlan(run)],
  });
const trader = start('test');
await trader.step();

/** Moves the clock by ten seconds and lets the suppliers act. */
async function moveOn(): Promise<void> {
  const body = { now: new Date(now() + 10_000).toISOString() };
  expect((await callInternal(app, 'POST', '/internal/v1/clock', { body })).status).toBe(200);
  await trader.step();
}

/** Waits until the outbox has numbered what the seller did, then lets the suppliers act for a while. */
async function pass(seller: TestSeller, seconds: number, sequence: number): Promise<void> {
  await eventually(
    () => seller.call<{ last_sequence: number }>('GET', '/webhooks/events'),
    ({ body }) => body.last_sequence >= sequence,
  );
  for (let gone = 0; gone < seconds; gone += 10) await moveOn();
}
const named = ({ supplier_id }: typeof CLAY, index: number) => ({
  ...{ supplier_id, name: '', supplier_item_id: '', supplier_sku: '' },
  ...CLAY.items[index],
});

test('they publish themselves, and quote 3 % below their tier; one that sells nothing like it declines', async () => {
  const seller = await app.seller();
  const suppliers = await seller.call<{ data: { supplier_id: string; items: number }[] }>(
    'GET',
    '/sourcing/suppliers?dropship=true',
  );
  expect(suppliers.body.data).toMatchObject([
    { supplier_id: CLAY.supplier_id, items: CLAY.items.length },
    { supplier_id: WAX.supplier_id, items: WAX.items.length },
  ]);
  const rfq = await openRfq(app, seller, [named(CLAY, 0), named(WAX, 0)]);
  await pass(seller, 20, 2);
  expect(await readRfq(seller, rfq)).toMatchObject({ status: 'answered', quotes: 1 });
  expect(await quotesOf(seller, rfq)).toMatchObject([
    {
      supplier: { supplier_id: CLAY.supplier_id },
      lines: [
        {
          supplier_sku: 'BC-MUG-BLU',
          price_breaks: [{ pack_price_minor: 5_995 }, { pack_price_minor: 5_767 }],
        },
      ],
      freight_minor: 1_450,
    },
  ]);
  // After a restart the suppliers read the same request again.
  await start('again').step();
  expect(await quotesOf(seller, rfq)).toHaveLength(1);
  const { text } = await callInternal(app, 'GET', '/metrics');
  expect(text).toContain(
    'spp_marketplace_events_total{type="marketplace.supplier.quoted",status="applied"} 1',
  );
  expect(text).not.toMatch(/spp_marketplace_events_total\{[^}]*status="rejected"\}/);
});

/** Steps of ten seconds until something holds; at most an hour. */
async function until<T>(read: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  for (let step = 0; step < 360; step += 1) {
    const found = await read();
    if (holds(found)) return found;
    await moveOn();
  }
  throw new Error('it never holds');
}

interface Purchase {
  readonly purchase_order_id: string;
  readonly status: string;
  readonly shipments: readonly object[];
}

test('they accept a purchase order within 15 seconds and ship it a minute later', async () => {
  const seller = await app.seller({ address: true });
  const json = {
    supplier_id: CLAY.supplier_id,
    lines: [{ supplier_item_id: CLAY.items[0]?.supplier_item_id, quantity: 48 }],
  };
  const made = await seller.call<Purchase>('POST', '/wholesale/purchase-orders', { json });
  const path = `/wholesale/purchase-orders/${made.body.purchase_order_id}`;
  expect((await seller.call('POST', `${path}/submit`, { json: {} })).status).toBe(200);
  const read = async () => (await seller.call<Purchase>('GET', path)).body;
  const began = now();
  await until(read, ({ status }) => status === 'confirmed');
  expect(now() - began).toBeLessThanOrEqual(30_000);
  const shipped = await until(read, ({ shipments }) => shipments.length > 0);
  expect(now() - began).toBeLessThanOrEqual(100_000);
  expect(shipped).toMatchObject({
    status: 'confirmed',
    lines: [{ quantities: { ordered: 48, confirmed: 48, shipped: 48 } }],
    shipments: [{ carrier: 'startrack', lines: [{ line_no: 1, quantity: 48 }] }],
  });
});

test('they send what a buyer orders: a parcel in the order, with a number', async () => {
  const seller = await app.seller({ address: true });
  const jug = CLAY.items[2] ?? CLAY.items[0];
  if (jug === undefined) throw new Error('no item');
  const { sku, product_id } = await listItem(seller, jug);
  await until(
    () => unitsOf(seller, product_id),
    ([, , available]) => (available ?? 0) > 0,
  );
  const order_id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  const read = async () => (await (await seller.renew()).call<Order>('GET', `/orders/${order_id}`)).body;
  const order = await until(read, ({ status }) => status === 'shipped');
  expect(order.shipments).toMatchObject([
    { origin: 'supplier', carrier: 'australia_post', tracking_number: expect.stringMatching(/^2JD\d{7}$/) },
  ]);
  // A count that comes later does not bring the sold units back.
  await moveOn();
  const [onHand, reserved] = await unitsOf(await seller.renew(), product_id);
  expect([onHand, reserved]).toEqual([jug.units - 2 - 5, 0]);
});
