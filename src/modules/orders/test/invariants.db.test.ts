/** For any sequence of actions: every unit is in one bucket, and no unit is promised twice. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import {
  allotted,
  type Order,
  orderEvent,
  placement,
  post,
  readOrder,
  stocked,
  stockOf,
  TRACKING,
} from '../../../../test/support/orders.ts';

const app = await startTestApp();

interface Shop {
  readonly seller: TestSeller;
  readonly sku: string;
  readonly product_id: string;
  readonly orders: string[];
}
interface Step {
  readonly what: (typeof NAMES)[number];
  /** The order and the part that the action is about. */
  readonly order: number;
  readonly part: number;
  readonly units: number;
}
/** A status of an answer or of an event. */
type Outcome = number | string;

const first = (order: Order) => order.lines[0]?.order_line_id;
const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];
const reason = { reason: 'other' };

const tell = async (shop: Shop, type: string, subject: string, data: object): Promise<Outcome> => {
  const [result] = await app.events(orderEvent(app, shop.seller, type, subject, data));
  return result?.code === 'internal_error' ? 500 : (result?.status ?? 500);
};
const act = async (shop: Shop, path: string, json: object = {}): Promise<Outcome> =>
  (await post(shop.seller, path, json)).status;
const lineUnits = (order: Order, quantity: number) => ({
  lines: [{ order_line_id: first(order), quantity }],
});
const numbered = (quantity: number) => ({ lines: [{ order_line_no: 1, quantity }] });

const STEPS = {
  place: async (shop, _order, { units }) => {
    const event = placement(app, shop.seller, [{ sku: shop.sku, quantity: units }]);
    shop.orders.push(event.subject);
    return (await app.events(event))[0]?.status ?? 500;
  },
  accept: (shop, order) => act(shop, `${order.order_id}/accept`),
  acceptSome: (shop, order, { units }) => act(shop, `${order.order_id}/accept`, lineUnits(order, units)),
  reject: (shop, order, { units }) =>
    act(shop, `${order.order_id}/reject`, { ...reason, ...lineUnits(order, units) }),
  cancel: (shop, order, { units }) =>
    act(shop, `${order.order_id}/cancel`, { ...reason, ...lineUnits(order, units) }),
  rehearse: (shop, order) => act(shop, `${order.order_id}/accept?dry_run=true`),
  pack: (shop, order, { units }) => act(shop, `${order.order_id}/shipments`, lineUnits(order, units)),
  dispatch: async (shop, order, { part }) => {
    const shipment = pick(order.shipments, part);
    return shipment === undefined
      ? 409
      : act(shop, `${order.order_id}/shipments/${shipment.shipment_id}/dispatch`, TRACKING);
  },
  news: async (shop, order, { part, units }) => {
    const shipment = pick(order.shipments, part);
    if (shipment === undefined) return 409;
    const status = pick(['in_transit', 'failed', 'lost', 'returned_to_sender'], units);
    return tell(shop, 'shipment.tracking_updated', shipment.shipment_id, { status });
  },
  arrive: async (shop, order, { part }) => {
    const shipment = pick(order.shipments, part);
    return shipment === undefined ? 409 : tell(shop, 'shipment.delivered', shipment.shipment_id, {});
  },
  deliverAll: (shop, order) => tell(shop, 'order.delivered', order.order_id, {}),
  cancelled: (shop, order, { units }) =>
    tell(shop, 'order.cancelled', order.order_id, { ...numbered(units), by: 'buyer' }),
  askToCancel: (shop, order, { units, part }) =>
    tell(shop, 'order.cancel_requested', order.order_id, { request_id: `crq_${part}`, ...numbered(units) }),
  grant: (shop, order, { part }) => act(shop, `${order.order_id}/cancel-requests/crq_${part}/accept`),
  askToReturn: (shop, order, { units, part }) =>
    tell(shop, 'return.requested', order.order_id, { return_id: `rtn_${part}`, ...numbered(units) }),
  takeBack: async (shop, order, { part }) => {
    await act(shop, `${order.order_id}/returns/rtn_${part}/accept`);
    await act(shop, `${order.order_id}/returns/rtn_${part}/receive`);
    return act(shop, `${order.order_id}/returns/rtn_${part}/inspect`);
  },
  restock: async (shop, _order, { units }) => {
    const json = { product_id: shop.product_id, delta: units };
    return (await shop.seller.call('POST', '/products/inventory/adjust', { json })).status;
  },
} satisfies Record<string, (shop: Shop, order: Order, step: Step) => Promise<Outcome>>;
const NAMES = Object.keys(STEPS) as (keyof typeof STEPS)[];

/** The invariants of every line. */
function checkOrder({ lines, status }: Order): void {
  for (const { quantities: q, quantity_reserved, quantity_packed } of lines) {
    const of = (name: string): number => q[name] ?? Number.NaN;
    expect(Object.values(q).every((units) => units >= 0)).toBe(true);
    expect(of('ordered')).toBe(
      of('awaiting') + of('accepted_open') + of('rejected') + of('cancelled') + of('shipped'),
    );
    expect(of('shipped')).toBe(of('in_transit') + of('delivered') + of('lost'));
    expect(of('returned')).toBeLessThanOrEqual(of('delivered'));
    // Stock is reserved for promised units and no others.
    expect(quantity_reserved).toBeGreaterThanOrEqual(of('accepted_open'));
    expect(quantity_reserved).toBeLessThanOrEqual(of('accepted_open') + of('awaiting'));
    expect(quantity_packed).toBeLessThanOrEqual(of('accepted_open'));
  }
  expect(status).not.toBe('');
}

async function check(shop: Shop): Promise<void> {
  // Orders and stock are read one after the other, so nothing may change in between.
  await allotted(app, shop.seller);
  const orders = await Promise.all(shop.orders.map((id) => readOrder(shop.seller, id)));
  for (const order of orders) checkOrder(order);
  const [onHand, reserved] = await stockOf(shop.seller, shop.product_id);
  const held = orders.flatMap(({ lines }) => lines).reduce((sum, line) => sum + line.quantity_reserved, 0);
  expect(reserved).toBe(held);
  expect(onHand ?? 0).toBeGreaterThanOrEqual(reserved);
  // No order misses units that are available.
  if (orders.some(({ attention }) => attention.includes('oversold'))) expect(onHand).toBe(reserved);
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(...NAMES),
  order: fc.nat(2),
  part: fc.nat(1),
  units: fc.integer({ min: 1, max: 4 }),
});

test('any sequence of actions and events keeps the quantities and never oversells', async () => {
  const done = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (steps) => {
      const seller = await app.seller();
      const { sku, product_id } = await stocked(seller, 5);
      const shop: Shop = { seller, sku, product_id, orders: [] };
      const placed = [2, 3, 2].map((units): Step => ({ what: 'place', order: 0, part: 0, units }));
      // Most steps need an order that was accepted; by chance alone few sequences would reach them.
      const accepted: Step = { what: 'accept', order: 0, part: 0, units: 2 };
      for (const one of [...placed, accepted, ...steps]) {
        const id = pick(shop.orders, one.order);
        const order = id === undefined ? ({} as Order) : await readOrder(seller, id);
        const outcome = await STEPS[one.what](shop, order, one);
        expect(typeof outcome === 'string' || outcome < 500, `${one.what}: ${outcome}`).toBe(true);
        if (outcome === 'applied' || outcome === 200 || outcome === 201) done.add(one.what);
      }
      await check(shop);
    }),
    { numRuns: 40 },
  );
  // Sequences without any effect would prove little.
  expect([...done].length).toBeGreaterThan(NAMES.length * 0.7);
});
