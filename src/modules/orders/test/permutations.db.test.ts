/** In any order of events, with rejected ones sent again, an order ends in the same state. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import {
  orderEvent,
  placeOrder,
  post,
  readOrder,
  shipAll,
  stocked,
  stockOf,
} from '../../../../test/support/orders.ts';
import { permutations, permuter, sequences } from '../../../../test/support/permutations.ts';

// Deadlines count in Sydney days: with the system's clock, the events of one sequence may fall on two of them.
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T23:00:00.000Z' });
const seller = await app.seller({ plan: 'Small' });

const { at, atDelivery, deliver, endsAlike } = permuter(app, seller);

test('placed, captured, delivered, refunded, confirmed', async () => {
  const [order, left, balances] = await endsAlike((event, placed) => [
    placed,
    event('order.payment_captured', { charge_id: 'ch_1', captured_minor: 6_500, provider_fee_minor: 68 }, 1),
    event('order.delivered', atDelivery(48), 48),
    event('refund.created', { refund_id: 'rf_1', lines: [{ order_line_no: 1, amount_minor: 2_000 }] }, 60),
    event('refund.confirmed', { refund_id: 'rf_1', provider_transaction_id: 'txn_1' }, 61),
  ]);
  expect(left).toEqual([]);
  expect(balances.length).toBeGreaterThan(5);
  expect(order).toMatchObject({
    status: 'delivered',
    payment_status: 'partially_refunded',
    refund_status: 'partially_refunded',
    refunds: [{ status: 'succeeded' }],
    // The items, and their shipping with them.
    lines: [{ status: 'delivered' }, { status: 'delivered' }],
  });
});

test('a cancellation before the delivery wins, also when the delivery arrives first', async () => {
  const [order, left] = await endsAlike((event, placed) => [
    placed,
    event('order.cancel_requested', { request_id: 'crq_1', lines: [{ order_line_no: 1, quantity: 1 }] }, 1),
    event('order.cancelled', { lines: [{ order_line_no: 1, quantity: 1 }], by: 'buyer' }, 2),
    event('order.delivered', atDelivery(48), 48),
    event(
      'return.requested',
      {
        return_id: 'rtn_1',
        lines: [{ order_line_no: 1, quantity: 2, reason: 'damaged' }],
        respond_by: at(90).time,
      },
      60,
    ),
  ]);
  expect(left).toEqual([]);
  expect(order.lines[0]?.quantities).toMatchObject({ ordered: 3, cancelled: 1, delivered: 2 });
  expect(order).toMatchObject({ status: 'delivered', cancel_requests: [{ status: 'void' }] });
});

test('disputes and refunds end as their newest event says', async () => {
  const refund = { refund_id: 'rf_1' };
  const [order, left] = await endsAlike((event, placed) => [
    placed,
    event('refund.created', { ...refund, lines: [{ order_line_no: 2, amount_minor: 500 }] }, 60),
    event('refund.confirmed', refund, 61),
    event('refund.failed', { ...refund, failure_code: 'account_closed' }, 70),
    event('dispute.opened', { dispute_id: 'dp_1', amount_minor: 6_500, provider_fee_minor: 2_500 }, 80),
  ]);
  expect(left).toEqual([]);
  expect(order).toMatchObject({
    refund_status: 'none',
    refunds: [{ status: 'failed' }],
    disputes: [{ status: 'open' }],
  });
});

test('a refund that replaces a failed one fits, whichever arrives first', async () => {
  const lines = [{ order_line_no: 1, quantity: 3, amount_minor: 6_000 }];
  const [order, left] = await endsAlike((event, placed) => [
    placed,
    event('refund.created', { refund_id: 'rfd_x1', lines }, 60),
    event('refund.failed', { refund_id: 'rfd_x1', failure_code: 'account_closed' }, 61),
    event('refund.created', { refund_id: 'rfd_x2', lines }, 70),
    event('order.payment_captured', { charge_id: 'ch_1', captured_minor: 6_500, provider_fee_minor: 68 }, 1),
  ]);
  expect(left).toEqual([]);
  expect(order.refunds).toMatchObject([
    { refund_id: 'rfd_x1', status: 'failed', amount_minor: 6_000, failure_code: 'account_closed' },
    { refund_id: 'rfd_x2', status: 'processing', amount_minor: 6_000 },
  ]);
});

test('a cancellation at the instant of the delivery wins, and one of all units wins over one of some', async () => {
  const one = { lines: [{ order_line_no: 1, quantity: 1 }], by: 'buyer' };
  const [order, left] = await endsAlike((event, placed) => [
    placed,
    event('order.payment_captured', { charge_id: 'ch_1', captured_minor: 6_500, provider_fee_minor: 68 }, 1),
    event('order.cancelled', one, 48),
    event('order.delivered', atDelivery(48), 48),
  ]);
  expect(left).toEqual([]);
  expect(order.lines[0]?.quantities).toMatchObject({ cancelled: 1, delivered: 2 });
  const [gone, rest] = await endsAlike((event, placed) => [
    placed,
    event('order.cancelled', one, 2),
    event('order.cancelled', { by: 'marketplace' }, 3),
  ]);
  expect([gone.status, rest]).toEqual(['cancelled', []]);
});

test('an earlier cancellation cancels units that the delivery found packed', async () => {
  const { sku } = await stocked(seller, 1_000);
  const ends = new Set<string>();
  for (const order of permutations([0, 1, 2])) {
    const id = await placeOrder(app, seller, [{ sku, quantity: 3 }], { order_number: 'PACKED' });
    const { body } = await post(seller, `${id}/accept`);
    const order_line_id = body.lines[0]?.order_line_id;
    await post(seller, `${id}/shipments`, { lines: [{ order_line_id, quantity: 2 }] });
    const units = (quantity: number) => ({ lines: [{ order_line_no: 1, quantity }], by: 'buyer' });
    const events = [
      orderEvent(app, seller, 'order.cancelled', id, units(1), at(10)),
      orderEvent(app, seller, 'order.cancelled', id, units(1), at(11)),
      orderEvent(app, seller, 'order.delivered', id, {}, at(12)),
    ];
    expect(await deliver(order.map((index) => events[index] ?? {}))).toEqual([]);
    const { status, lines, delivered_at } = await readOrder(seller, id);
    ends.add(JSON.stringify([status, lines[0]?.quantities, delivered_at]));
  }
  expect([...ends]).toHaveLength(1);
  expect(JSON.parse([...ends][0] ?? '')).toMatchObject([
    'delivered',
    { cancelled: 2, delivered: 1 },
    at(12).time,
  ]);
});

test('an earlier cancellation restocks no more than was taken from a stock that was set too low', async () => {
  for (const [data, left] of [
    [{ by: 'buyer' }, 1],
    [{ lines: [{ order_line_no: 1, quantity: 1 }], by: 'buyer' }, 0],
  ] as const) {
    const ends = new Set<string>();
    for (const order of permutations([0, 1])) {
      const { sku, product_id } = await stocked(seller, 3);
      const id = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
      await seller.call('PUT', `/products/${product_id}/inventory`, { json: { quantity: 1 } });
      const events = [
        orderEvent(app, seller, 'order.cancelled', id, data, at(10)),
        orderEvent(app, seller, 'order.delivered', id, {}, at(12)),
      ];
      await deliver(order.map((index) => events[index] ?? {}));
      const { status, lines } = await readOrder(seller, id);
      ends.add(JSON.stringify([status, lines[0]?.quantities, await stockOf(seller, product_id)]));
    }
    expect([...ends]).toHaveLength(1);
    expect(JSON.parse([...ends][0] ?? '')[2]).toEqual([left, 0]);
  }
});

test('no more is restocked than was taken, also for one product on several lines and parcels', async () => {
  const cancelled = (order_line_no: number, quantity: number) => ({ lines: [{ order_line_no, quantity }] });
  const sets = [
    { stock: 3, set: null, lines: [2, 2], packed: 0, data: cancelled(1, 2), left: 1 },
    { stock: 4, set: 1, lines: [2, 2], packed: 0, data: cancelled(2, 2), left: 0 },
    { stock: 3, set: 1, lines: [3], packed: 2, data: cancelled(1, 1), left: 0 },
  ];
  for (const { stock, set, lines, packed, data, left } of sets) {
    const ends = new Set<string>();
    for (const order of permutations([0, 1])) {
      const { sku, product_id } = await stocked(seller, stock);
      const id = await placeOrder(
        app,
        seller,
        lines.map((quantity) => ({ sku, quantity })),
      );
      if (packed > 0) {
        const { body } = await post(seller, `${id}/accept`);
        const order_line_id = body.lines[0]?.order_line_id;
        await post(seller, `${id}/shipments`, { lines: [{ order_line_id, quantity: packed }] });
      }
      if (set !== null)
        await seller.call('PUT', `/products/${product_id}/inventory`, { json: { quantity: set } });
      const events = [
        orderEvent(app, seller, 'order.cancelled', id, data, at(10)),
        orderEvent(app, seller, 'order.delivered', id, {}, at(12)),
      ];
      expect(await deliver(order.map((index) => events[index] ?? {}))).toEqual([]);
      const { status, lines: ended } = await readOrder(seller, id);
      const quantities = ended.map((line) => line.quantities);
      ends.add(JSON.stringify([status, quantities, await stockOf(seller, product_id)]));
    }
    expect([...ends]).toHaveLength(1);
    expect(JSON.parse([...ends][0] ?? '')[2]).toEqual([left, 0]);
  }
});

test('a final state of a parcel outranks a state on the way', async () => {
  const { sku } = await stocked(seller, 1_000);
  const ends = new Set<string>();
  for (const order of sequences(5)) {
    const id = await placeOrder(app, seller, [{ sku, quantity: 2 }], { order_number: 'PARCEL' });
    await post(seller, `${id}/accept`);
    const { shipment_id } = await shipAll(seller, id);
    const start = app.app.services.now();
    const instant = (n: number) => new Date(start + n * 60_000).toISOString();
    const news = (type: string, subject: string, data: object, n: number) =>
      orderEvent(app, seller, type, subject, data, { time: instant(n) });
    const events = [
      news('shipment.tracking_updated', shipment_id, { status: 'in_transit', at: instant(1) }, 1),
      news('shipment.tracking_updated', shipment_id, { status: 'failed', at: instant(2) }, 2),
      news('shipment.delivered', shipment_id, { delivered_at: instant(3) }, 3),
      news('shipment.tracking_updated', shipment_id, { status: 'out_for_delivery', at: instant(4) }, 4),
      news('order.delivered', id, { delivered_at: instant(5) }, 5),
    ];
    expect(await deliver(order.map((index) => events[index] ?? {}))).toEqual([]);
    const { status, lines, shipments, delivered_at } = await readOrder(seller, id);
    const minutes = (Date.parse(String(delivered_at)) - start) / 60_000;
    ends.add(JSON.stringify([status, lines[0]?.quantities, shipments.map((one) => one.status), minutes]));
  }
  expect([...ends]).toHaveLength(1);
  expect(JSON.parse([...ends][0] ?? '')).toMatchObject(['delivered', { delivered: 2 }, ['delivered'], 3]);
});

test('numbered and unnumbered updates of a parcel end in the same state', async () => {
  const { sku } = await stocked(seller, 1_000);
  const numbered = (minute: number, status: string, version: number) =>
    ['shipment.tracking_updated', minute, { status }, { objectversion: version }] as const;
  const arrived = (minute: number, more: object) => ['shipment.delivered', minute, {}, more] as const;
  const sets = [
    // The newest has no number; the number of the second does not make the second newer.
    [numbered(1, 'lost', 5), numbered(2, 'returned_to_sender', 6), ['order.delivered', 3, {}, {}]],
    [['order.delivered', 1, {}, {}], numbered(2, 'lost', 5), ['order.delivered', 3, {}, {}]],
    // At the same instant.
    [
      ['shipment.tracking_updated', 1, { status: 'lost' }, {}],
      ['order.delivered', 1, {}, {}],
    ],
    // The same update with two numbers, or with and without one, has the highest.
    [arrived(1, { objectversion: 5 }), arrived(1, { objectversion: 7 }), numbered(2, 'lost', 6)],
    [arrived(1, { objectversion: 5 }), arrived(1, {}), numbered(2, 'lost', 4)],
    // Of two updates with the same number the later wins.
    [numbered(1, 'in_transit', 5), numbered(2, 'failed', 5)],
    [numbered(1, 'failed', 5), numbered(1, 'failed', 7), numbered(2, 'in_transit', 6)],
  ] as const;
  for (const [index, set] of sets.entries()) {
    const ends = new Set<string>();
    for (const order of permutations(set.map((_, at) => at))) {
      const id = await placeOrder(app, seller, [{ sku, quantity: 2 }], { order_number: 'NUMBERED' });
      await post(seller, `${id}/accept`);
      const { shipment_id } = await shipAll(seller, id);
      const start = app.app.services.now();
      const events = set.map(([type, minute, data, more]) =>
        orderEvent(app, seller, type, type.startsWith('order') ? id : shipment_id, data, {
          time: new Date(start + minute * 60_000).toISOString(),
          ...more,
        }),
      );
      expect(await deliver(order.map((at) => events[at] ?? {}))).toEqual([]);
      const { status, lines, shipments, delivered_at } = await readOrder(seller, id);
      const told = shipments.flatMap((one) =>
        (one['tracking'] as { status: string }[]).map((scan) => scan.status),
      );
      const minutes = delivered_at === null ? null : (Date.parse(String(delivered_at)) - start) / 60_000;
      const parcel = [shipments.map((one) => one.status), told, minutes];
      ends.add(JSON.stringify([status, lines[0]?.quantities, ...parcel]));
    }
    expect([index, ...ends]).toHaveLength(2);
    expect([...ends][0]).toContain(index < 5 ? '"delivered"' : '"failed"');
  }
});

test('an outcome of a refund or dispute keeps the highest number with which it came', async () => {
  const { sku } = await stocked(seller, 1_000);
  const numbered = (objectversion: number) => ({ objectversion });
  const sets = [
    [
      ['refund.failed', 1, { refund_id: 'rf_1' }, numbered(5)],
      ['refund.failed', 1, { refund_id: 'rf_1' }, numbered(7)],
      ['refund.confirmed', 2, { refund_id: 'rf_1' }, numbered(6)],
    ],
    [
      ['dispute.lost', 1, { dispute_id: 'dp_1' }, numbered(5)],
      ['dispute.lost', 1, { dispute_id: 'dp_1' }, {}],
      ['dispute.won', 2, { dispute_id: 'dp_1' }, numbered(4)],
    ],
  ] as const;
  for (const set of sets) {
    const ends = new Set<string>();
    for (const order of permutations(set.map((_, index) => index))) {
      const id = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
      const lines = [{ order_line_no: 1, amount_minor: 1_000 }];
      await deliver([
        orderEvent(app, seller, 'refund.created', id, { refund_id: 'rf_1', lines }, at(0)),
        orderEvent(app, seller, 'dispute.opened', id, { dispute_id: 'dp_1', amount_minor: 1_000 }, at(0)),
      ]);
      const events = set.map(([type, hours, data, more]) =>
        orderEvent(app, seller, type, id, data, { ...at(hours), ...more }),
      );
      expect(await deliver(order.map((index) => events[index] ?? {}))).toEqual([]);
      const { refunds, disputes } = await readOrder(seller, id);
      ends.add(JSON.stringify([...refunds, ...disputes].map(({ status }) => status)));
    }
    expect([...ends]).toEqual([
      JSON.stringify(set[0][0] === 'refund.failed' ? ['failed', 'open'] : ['processing', 'lost']),
    ]);
  }
});

test('an order that was delivered twice has the earlier instant', async () => {
  const [order, left] = await endsAlike((event, placed) => [
    placed,
    event('order.delivered', atDelivery(40), 40),
    event('order.delivered', atDelivery(48), 48),
  ]);
  expect(left).toEqual([]);
  const arrived = at(40).time;
  expect(order).toMatchObject({
    accepted_at: arrived,
    delivered_at: arrived,
    shipments: [{ dispatched_at: arrived, delivered_at: arrived }],
  });
});
