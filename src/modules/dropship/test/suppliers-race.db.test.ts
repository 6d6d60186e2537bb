/** Suppliers, buyers, sellers and deadlines at once and in any order. Source: docs/design/supply.md#dropship-orders. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import {
  dropshipOf,
  dropshipShop,
  moveClock,
  routedOrder,
  supplierOf,
} from '../../../../test/support/dropship.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { MONEY_PATHS, moneyAnswers } from '../../../../test/support/money-answers.ts';
import {
  apply,
  orderEvent,
  placement,
  placeOrder,
  post,
  readOrder,
} from '../../../../test/support/orders.ts';
import { marketplaceEvents } from '../../../../test/support/outbox.ts';
import { permutations } from '../../../../test/support/permutations.ts';
import { readListing, unitsOf } from '../../../../test/support/supplier.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T23:00:00.000Z' });
const SENT = ({ status }: { readonly status: string }): boolean => status === 'sent';

/** Some sequences of so many events, each event once more at some place. */
function shuffled(events: number, some: number): number[][] {
  const all = [...permutations(Array.from({ length: events }, (_, index) => index))];
  return Array.from({ length: some }, () => {
    const order = [...(all[Math.floor(Math.random() * all.length)] ?? [])];
    for (let event = 0; event < events; event += 1)
      order.splice(Math.floor(Math.random() * (order.length + 1)), 0, event);
    return order;
  });
}

test('counts, answers, parcels and cancellations in any order, told twice, end alike', {
  timeout: 240_000,
}, async () => {
  let seller = await app.seller({ plan: 'Big' });
  const prepared = [];
  for (const order of shuffled(5, 6)) {
    const shop = await dropshipShop(app, 11, seller);
    const order_id = await placeOrder(app, seller, [{ sku: shop.listing.sku, quantity: 11 }]);
    prepared.push({ ...shop, order, order_id });
  }
  await moveClock(app, 4);
  seller = await seller.renew();
  for (const { order, order_id, supplier, listing } of prepared) {
    const { dropship_order_id, sent_at } = await dropshipOf(seller, order_id, SENT);
    const by = supplierOf(app, seller, dropship_order_id);
    const at = (second: number) => new Date(Date.parse(String(sent_at)) + second * 1_000).toISOString();
    const told = (second: number) => ({ time: at(second) });
    const answer = { reason: 'other', accepted: 9, rejected: 1, unit_cost_minor: 1_840, line_no: 1 };
    const count = {
      as_of: at(30),
      items: supplier.items.map(({ supplier_sku }) => ({ supplier_sku, available: 14 })),
    };
    const events = [
      by.answerEvent(9, 1, { accepted_at: at(20), lines: [answer] }, told(20)),
      by.shipEvent(4, { shipped_at: at(25) }, told(25)),
      by.cancelEvent(2, {}, told(40)),
      orderEvent(app, seller, 'order.cancelled', order_id, { lines: [{ order_line_no: 1, quantity: 1 }] }),
      {
        ...{ specversion: '1.0', id: randomUUID(), source: '/marketplace/core', time: at(30) },
        ...{ type: 'marketplace.supplier.availability_changed', subject: supplier.supplier_id, data: count },
      },
    ];
    for (const index of order) {
      const [result] = await app.events(events[index] ?? {});
      expect([result?.status, order, index]).toEqual([expect.not.stringMatching('rejected'), order, index]);
    }
    const [line] = (await readOrder(seller, order_id)).lines;
    expect([order, line]).toMatchObject([
      order,
      {
        quantities: { awaiting: 1, accepted_open: 5, in_transit: 4, cancelled: 1 },
        ...{ quantity_supplied: 4, quantity_reserved: 6 },
      },
    ]);
    const dropship = await dropshipOf(
      seller,
      order_id,
      ({ lines }) => lines[0]?.quantities['cancelled'] === 1,
    );
    expect([order, dropship]).toMatchObject([
      order,
      {
        ...{ status: 'accepted', attention: ['with_seller'] },
        lines: [{ quantities: { sent: 0, accepted_open: 4, shipped: 4, returned: 2, cancelled: 1 } }],
      },
    ]);
    await eventually(
      async () => {
        const { on_hand_reported: a, pending: p } = await readListing(seller, listing.listing_id);
        return JSON.stringify([a, p, ...(await unitsOf(seller, listing.product_id))]);
      },
      (figures) => figures === JSON.stringify([14, 0, 15, 6, 9]),
    );
  }
});

test('of 40 buyers at once for 10 units ten are served, and no supplier is asked for more', async () => {
  const { seller: first, listing } = await dropshipShop(app, 10);
  const orders = Array.from({ length: 40 }, () => placement(app, first, [{ sku: listing.sku, quantity: 1 }]));
  await Promise.all(orders.map((order) => app.events(order)));
  await moveClock(app, 4);
  const seller = await first.renew();
  const [sums] = await asOwner<{ reserved: number; supplied: number; oversold: number }>(
    app,
    `select sum(l.reserved)::int as reserved, sum(l.supplied)::int as supplied,
            count(*) filter (where o.attention @> array['oversold'])::int as oversold
       from order_line l join sales_order o on o.seller_id = l.seller_id and o.order_id = l.order_id
      where l.seller_id = $1`,
    [seller.seller_id],
  );
  expect(sums).toEqual({ reserved: 10, supplied: 10, oversold: 30 });
  const asked = await marketplaceEvents(app, seller, 'dropship_order.sent', 10);
  expect(asked).toHaveLength(10);
  await eventually(
    () => unitsOf(seller, listing.product_id),
    (units) => JSON.stringify(units) === '[10,10,0]',
  );
});

/** Each unit of an order is somewhere, and the order and its dropship order agree about those of the supplier. */
async function agree(seller: TestSeller, orderId: string): Promise<void> {
  const order = await readOrder(seller, orderId);
  const [line] = order.lines;
  const { ordered = 0, ...of } = line?.quantities ?? {};
  const parts = ['awaiting', 'accepted_open', 'rejected', 'cancelled', 'in_transit', 'delivered', 'lost'];
  expect(parts.reduce((sum, name) => sum + (of[name] ?? 0), 0)).toBe(ordered);
  const supplied = Number((line as Record<string, unknown> | undefined)?.['quantity_supplied']);
  const sent = order.shipments.filter(({ origin }) => origin === 'supplier');
  const inParcels = sent
    .flatMap(({ lines }) => lines as { quantity: number }[])
    .reduce((sum, { quantity }) => sum + quantity, 0);
  const dropship = await dropshipOf(seller, orderId, ({ lines }) => {
    const { queued = 0, sent: asked = 0, accepted_open = 0 } = lines[0]?.quantities ?? {};
    return queued + asked + accepted_open === supplied;
  });
  const { routed, shipped_after_cancel: _, ...units } = dropship.lines[0]?.quantities ?? {};
  expect(Object.values(units).reduce((sum, one) => sum + one, 0)).toBe(routed);
  expect(dropship.lines[0]?.quantities['shipped']).toBe(inParcels);
  expect(Number(line?.quantity_reserved)).toBe((of['awaiting'] ?? 0) + (of['accepted_open'] ?? 0));
}

test('suppliers, buyers and sellers at once leave no unit twice and none nowhere', {
  timeout: 240_000,
}, async () => {
  const { seller: first, listing } = await dropshipShop(app, 40);
  const orders = [];
  for (let index = 0; index < 4; index += 1)
    orders.push(await placeOrder(app, first, [{ sku: listing.sku, quantity: 4 }]));
  await moveClock(app, 4);
  const seller = await first.renew();
  for (const id of orders) {
    const { dropship_order_id } = await dropshipOf(seller, id, SENT);
    const by = supplierOf(app, seller, dropship_order_id);
    const cancelled = { lines: [{ order_line_no: 1, quantity: 1 }] };
    const acts = [
      () => by.answer(2, 1),
      () => by.answer(1),
      () => by.ship(2),
      () => by.cancel(1),
      () => app.events(orderEvent(app, seller, 'order.cancelled', id, cancelled)),
      () => post(seller, `${id}/reject`, { reason: 'out_of_stock' }),
      () => post(seller, `${id}/accept`),
    ].sort(() => Math.random() - 0.5);
    await Promise.all(acts.map((act) => act()));
  }
  for (const id of orders) await agree(seller, id);
  const [stock] = await asOwner<{ reserved: number; held: number }>(
    app,
    `select i.quantity_reserved as reserved,
            (select sum(reserved)::int from order_line l where l.seller_id = i.seller_id) as held
       from inventory i where i.seller_id = $1 and i.product_id = $2`,
    [seller.seller_id, listing.product_id],
  );
  expect(stock?.reserved).toBe(stock?.held);
});

test('answers and deadlines at once: an answer in time counts whole or not at all', {
  timeout: 240_000,
}, async () => {
  const { seller: first, listing } = await dropshipShop(app, 20);
  const orders = [];
  for (let index = 0; index < 3; index += 1)
    orders.push(await placeOrder(app, first, [{ sku: listing.sku, quantity: 3 }]));
  await moveClock(app, 4);
  let seller = await first.renew();
  const answers = await Promise.all(
    orders.map(async (id) => {
      const { dropship_order_id } = await dropshipOf(seller, id, SENT);
      const time = new Date(app.app.services.now()).toISOString();
      return supplierOf(app, seller, dropship_order_id).answerEvent(3, 0, { accepted_at: time }, { time });
    }),
  );
  const [, ...results] = await Promise.all([
    moveClock(app, 12 * 60),
    ...answers.map(async (event) => (await app.events(event))[0]?.status),
  ]);
  expect(new Set(results)).toEqual(new Set(['applied']));
  seller = await seller.renew();
  for (const id of orders) {
    expect((await readOrder(seller, id)).status).toBe('accepted');
    await agree(seller, id);
  }
});

test('an erased buyer is in no event for suppliers any more', async () => {
  const shop = await dropshipShop(app, 10);
  const { order_id } = await routedOrder(app, shop);
  await moveClock(app, 4);
  const seller = await shop.seller.renew();
  const { dropship_order_id } = await dropshipOf(seller, order_id, SENT);
  const by = supplierOf(app, seller, dropship_order_id);
  await by.answer(3);
  await by.ship(3);
  const erasure = { request_id: 'ers-1', customer_ref: 'cus_77' };
  await apply(
    app,
    orderEvent(app, seller, 'order.delivered', order_id, {}),
    orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, erasure),
  );
  const stored = await asOwner<{ data: unknown }>(
    app,
    'select data from outbox where seller_id = $1 and object_id = $2',
    [seller.seller_id, dropship_order_id],
  );
  expect(JSON.stringify(stored)).toContain('NSW');
  expect(JSON.stringify(stored)).not.toMatch(/Mia|George|2000|buyer_\d/);
});

/** An order of 60 dollars that is paid, and that its supplier has been asked for. */
async function paidAndSent(shop: Awaited<ReturnType<typeof dropshipShop>>) {
  const { order_id } = await routedOrder(app, shop);
  const captured = { charge_id: 'ch_1', captured_minor: 6_000, provider_fee_minor: 100 };
  await app.events(orderEvent(app, shop.seller, 'order.payment_captured', order_id, captured));
  await moveClock(app, 4);
  const seller = await shop.seller.renew();
  const { dropship_order_id } = await dropshipOf(seller, order_id, SENT);
  return { seller, order_id, dropship_order_id };
}

test('freight that a supplier has not stated is named wherever a cost lacks it', async () => {
  const shop = await dropshipShop(app, 10);
  const { seller, order_id, dropship_order_id } = await paidAndSent(shop);
  const by = supplierOf(app, seller, dropship_order_id);
  expect(await by.answer(3, 0, { freight_minor: null })).toBe('applied');
  expect(await by.ship(3)).toBe('applied');
  await app.events(orderEvent(app, seller, 'order.delivered', order_id, {}));
  const named = { missing_components: expect.arrayContaining(['inbound_freight', 'supplier_cost']) };
  for (const path of ['components', 'skus'])
    expect((await seller.call('GET', `/profitability/${path}`)).body).toMatchObject({
      data: [{ supplier_cost_minor: null, margin_minor: null, coverage: named }],
      ...named,
    });
  expect((await seller.call('GET', '/profitability/coverage')).body).toMatchObject({
    ...{ covered_gross_minor: 0, ...named },
  });
});

test('a sale costs what the supplier asks, in profitability alone', async () => {
  const shop = await dropshipShop(app, 10);
  const { seller, order_id, dropship_order_id } = await paidAndSent(shop);
  const before = await moneyAnswers(seller);
  expect(before.map(([, status]) => status)).toEqual(MONEY_PATHS.map(() => 200));
  const by = supplierOf(app, seller, dropship_order_id);
  expect(await by.answer(3)).toBe('applied');
  expect(await by.ship(3)).toBe('applied');
  expect(await moneyAnswers(seller)).toEqual(before);
  await app.events(orderEvent(app, seller, 'order.delivered', order_id, {}));
  const { body } = await seller.call<{ data: Record<string, unknown>[] }>('GET', '/profitability/components');
  expect(body.data[0]).toMatchObject({
    supplier_cost_minor: 3 * 1_840 + 250,
    margin_minor: expect.any(Number),
    components: expect.arrayContaining([
      expect.objectContaining({ component: 'supplier_cost', status: 'known' }),
      expect.objectContaining({ component: 'external_freight', status: 'not_applicable' }),
    ]),
  });
});

test('without a count for a day nothing is for sale, until the supplier counts again', async () => {
  const { seller: first, supplier, listing } = await dropshipShop(app, 10);
  await moveClock(app, 25 * 60);
  const seller = await first.renew();
  const paused = await eventually(
    () => readListing(seller, listing.listing_id),
    ({ status }) => status === 'paused',
  );
  expect(paused).toMatchObject({ paused_reasons: ['availability_stale'], available: 0 });
  expect(await unitsOf(seller, listing.product_id)).toEqual([0, 0, 0]);
  await supplier.count(8);
  const resumed = await eventually(
    () => readListing(seller, listing.listing_id),
    ({ status }) => status === 'active',
  );
  expect(resumed).toMatchObject({ paused_reasons: [], available: 3 });
});
