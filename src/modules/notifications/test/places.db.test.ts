/** Each notification says where its object is shown. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asked } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { apply, orderEvent, placeOrder, post, shipAll, stocked } from '../../../../test/support/orders.ts';
import type { OutgoingEventDef } from '../../../kernel/events.ts';
import { API_PREFIX, routePath } from '../../../kernel/route-path.ts';
import { MODULES } from '../../../modules.ts';
import { hrefOf } from '../actions/href-of.ts';
import { toNotifications } from '../domain/to-notifications.ts';

const app = await startTestApp();
const NOTICED = MODULES.flatMap(({ events = [] }) => events).filter(
  ({ notification }) => notification !== undefined,
);
/** Nothing is shown of them any more. */
const GONE = ['buyer.erased'];
/** Paths that answer 404 to a seller without such an object. */
const NEEDS_OBJECT = ['/loyalty/enrolment', '/pricing/products?status=recommended'];

/** Where the notification of the example of an event leads. */
function placeOf(def: OutgoingEventDef): string | null {
  const object = def.example as Readonly<Record<string, unknown>>;
  const object_id = String(Object.entries(object).find(([name]) => name.endsWith('_id'))?.[1]);
  const { where: _where, when: _when, ...notification } = def.notification ?? { severity: 'info', title: '' };
  const event = {
    seller_id: 'slr_1',
    event_id: 'evt_1',
    sequence: 1n,
    created_at: '2026-07-01T00:00:00.000Z',
  };
  const notice = { def: { ...def, notification }, object, object_id, ...event };
  const [made] = toNotifications([notice], () => 'ntf_1', 0).written;
  return made?.href == null ? hrefOf(MODULES, object_id) : `${API_PREFIX}${made.href}`;
}

test('every notification leads to a route that reads its object', () => {
  const patterns = MODULES.flatMap((module) =>
    module.routes
      .filter(({ method }) => method === 'GET')
      .map((route) => new RegExp(`^${routePath(module, route).replaceAll(/\{\w+\}/g, '[^/]+')}(\\?.*)?$`)),
  );
  const lost = NOTICED.filter((def) => {
    const place = placeOf(def) ?? '';
    return !patterns.some((pattern) => pattern.test(place));
  });
  expect(NOTICED.length).toBeGreaterThan(60);
  expect(lost.map(({ type }) => type).filter((type) => !type.startsWith('quality.listing'))).toEqual(GONE);
});

test('places without an id answer 200', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const fixed = new Set(NOTICED.flatMap(({ notification }) => notification?.href ?? []));
  const paths = [...fixed].filter((path) => !path.includes('{') && !NEEDS_OBJECT.includes(path));
  expect(paths.length).toBeGreaterThan(8);
  for (const path of paths) expect((await seller.call('GET', path)).status, path).toBe(200);
});

test('returns, refunds, disputes and parcels lead to their order, which answers 200 to its seller only', async () => {
  const [seller, other] = [await app.seller(), await app.seller()];
  const { sku } = await stocked(seller, 9);
  const order = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  const tell = (type: string, subject: string, data: object) =>
    apply(app, orderEvent(app, seller, type, subject, data));
  await tell('order.payment_captured', order, { charge_id: 'ch_1', captured_minor: 6_000 });
  await post(seller, `${order}/accept`);
  const { shipment_id } = await shipAll(seller, order);
  await tell('shipment.tracking_updated', shipment_id, { status: 'failed' });
  await tell('order.delivered', order, {});
  const lines = [{ order_line_no: 1, quantity: 1 }];
  await tell('return.requested', order, { return_id: 'rt_1', lines: [{ ...lines[0], reason: 'damaged' }] });
  await tell('refund.created', order, { refund_id: 'rf_1', lines: [{ ...lines[0], amount_minor: 100 }] });
  await tell('refund.failed', order, { refund_id: 'rf_1', reason: 'card_closed' });
  await tell('dispute.opened', order, { dispute_id: 'dp_1', amount_minor: 100 });
  const types = ['shipment.failed', 'return.requested', 'refund.failed', 'dispute.opened'];
  const { data } = await eventually(
    async () =>
      (await seller.call<{ data: { type: string; href: string | null }[] }>('GET', '/notifications')).body,
    (page) => types.every((type) => page.data.some((one) => one.type === type)),
  );
  for (const { type, href } of data.filter((one) => types.includes(one.type))) {
    expect([type, href]).toEqual([type, `/api/v1/orders/${order}`]);
    const path = String(href).slice(API_PREFIX.length);
    expect((await seller.call('GET', path)).status).toBe(200);
    expect((await other.call('GET', path)).status).toBe(404);
  }
});

test('titles name an order by its number, not by its id', async () => {
  const seller = await app.seller();
  const order = await placeOrder(app, seller, [{ title: 'Mug' }]);
  const { body } = await seller.call<{ order_number: string }>('GET', `/orders/${order}`);
  expect(body.order_number).not.toBe(order);
  await asked(app, seller, order);
  const title = `New message about order ${body.order_number}`;
  const titles = async () =>
    (await seller.call<{ data: { title: string }[] }>('GET', '/notifications')).body.data.map(
      (one) => one.title,
    );
  await expect.poll(titles, { timeout: 10_000 }).toContain(title);
});
