import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import {
  changeEvents,
  placeOrder,
  post,
  readOrder,
  type Shipment,
  stocked,
  stockOf,
  TRACKING,
} from '../../../../test/support/orders.ts';

const app = await startTestApp();
const seller = await app.seller({ plan: 'Small' });
const other = await app.seller({ plan: 'Small' });

interface Bulk {
  readonly counts: { readonly succeeded: number; readonly failed: number };
  readonly results: readonly {
    readonly status: number;
    readonly outcome: string;
    readonly order: { readonly status: string } | null;
    readonly error: { readonly code: string } | null;
  }[];
}
const bulk = (path: string, items: readonly object[]) => post<Bulk>(seller, `bulk/${path}`, { items });
const codes = ({ results }: Bulk) => results.map(({ status, error }) => [status, error?.code ?? null]);

test('each order is accepted or refused on its own', async () => {
  const { sku, product_id } = await stocked(seller, 3);
  const good = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  const oversold = await placeOrder(app, seller, [{ sku, quantity: 2 }]);
  const done = await placeOrder(app, seller, [{ sku: (await stocked(seller, 1)).sku }]);
  await post(seller, `${done}/accept`);
  const strangers = await placeOrder(app, other, [{ sku: (await stocked(other, 1)).sku }]);
  const items = [good, oversold, done, strangers, 'ord_none', good].map((order_id) => ({ order_id }));
  const dry = await post<Bulk>(seller, 'bulk/accept?dry_run=true', { items });
  expect(dry.body.counts).toEqual({ items: 6, succeeded: 1, failed: 5 });
  expect((await readOrder(seller, good)).status).toBe('awaiting_acceptance');
  const { status, body } = await bulk('accept', items);
  expect([status, body.counts]).toEqual([200, { items: 6, succeeded: 1, failed: 5 }]);
  expect(codes(body)).toEqual([
    [200, null],
    [409, 'insufficient_stock'],
    [409, 'invalid_transition'],
    [404, 'not_found'],
    [404, 'not_found'],
    [409, 'item_repeated'],
  ]);
  expect(body.results[0]?.order?.status).toBe('accepted');
  expect((await readOrder(seller, good)).status).toBe('accepted');
  expect(await stockOf(seller, product_id)).toEqual([3, 3]);
});

test('parcels are dispatched, and packed first where needed', async () => {
  const { sku, product_id } = await stocked(seller, 10);
  const [bare, packed, wrong] = [
    await placeOrder(app, seller, [{ sku }]),
    await placeOrder(app, seller, [{ sku }]),
    await placeOrder(app, seller, [{ sku }]),
  ];
  await bulk('accept', [{ order_id: bare }, { order_id: packed }, { order_id: wrong }]);
  await post(seller, `${packed}/shipments`);
  const { body } = await bulk('dispatch', [
    { order_id: bare, ...TRACKING },
    { order_id: packed, ...TRACKING },
    { order_id: wrong, ...TRACKING, tracking_number: '1' },
  ]);
  expect(codes(body)).toEqual([
    [200, null],
    [200, null],
    [422, 'validation_error'],
  ]);
  const loc = ['body', 'items', 2, 'tracking_number'];
  expect(body.results[2]?.error).toMatchObject({ detail: [{ loc }] });
  for (const id of [bare, packed])
    expect(await readOrder(seller, id)).toMatchObject({
      status: 'shipped',
      shipments: [{ status: 'dispatched' }],
    });
  expect(await readOrder(seller, wrong)).toMatchObject({ status: 'accepted', shipments: [] });
  const ids = [bare, (await readOrder(seller, bare)).shipments[0]?.shipment_id ?? ''];
  expect(await changeEvents(app, seller, ids)).toEqual([
    ['order.created', 'placed'],
    ['order.accepted', 'accepted'],
    ['shipment.created', 'shipment_created'],
    ['order.shipped', 'dispatched'],
  ]);
  expect(await stockOf(seller, product_id)).toEqual([8, 1]);
});

test('several parcels of one order are dispatched in one request, each once', async () => {
  const { sku } = await stocked(seller, 10);
  const id = await placeOrder(app, seller, [{ sku, quantity: 3 }]);
  const { body: order } = await post(seller, `${id}/accept`);
  const lines = [{ order_line_id: order.lines[0]?.order_line_id, quantity: 1 }];
  const pack = async () => (await post<Shipment>(seller, `${id}/shipments`, { lines })).body.shipment_id;
  const [one, two] = [await pack(), await pack()];
  const items = [one, two, one].map((shipment_id) => ({ order_id: id, shipment_id, ...TRACKING }));
  const { body } = await bulk('dispatch', items);
  expect(codes(body)).toEqual([
    [200, null],
    [200, null],
    [409, 'item_repeated'],
  ]);
  expect(await readOrder(seller, id)).toMatchObject({
    status: 'partially_shipped',
    lines: [{ quantities: { in_transit: 2 } }],
  });
});

test('a request has at most two hundred items, and some plans have no bulk requests', async () => {
  const many = Array.from({ length: 201 }, (_, n) => ({ order_id: `ord_${n}` }));
  expect((await bulk('accept', many)).status).toBe(422);
  expect((await bulk('accept', [])).status).toBe(422);
  const free = await app.seller();
  expect((await post(free, 'bulk/accept', { items: [{ order_id: 'ord_1' }] })).status).toBe(402);
});
