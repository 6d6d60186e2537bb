/** Lists of refunds and returns over all orders; orders, refunds and returns as files. */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import {
  apply,
  orderEvent,
  placement,
  placeOrder,
  post,
  readOrder,
  shipAll,
  stocked,
} from '../../../../test/support/orders.ts';

const app = await startTestApp();

type Row = Readonly<Record<string, string>>;
interface Listed {
  readonly order_id: string;
  readonly order_number: string;
  readonly status: string;
}
interface List {
  readonly data: readonly (Listed & Readonly<Record<string, unknown>>)[];
  readonly page: { readonly next_cursor: string | null; readonly has_more: boolean };
}

const list = async (seller: TestSeller, path: string): Promise<List> =>
  (await seller.call<List>('GET', `/orders/${path}`)).body;
async function csv(seller: TestSeller, path: string): Promise<readonly Row[]> {
  const { status, text, headers } = await seller.call('GET', `/orders/${path}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  return parse(text, { columns: true }) as Row[];
}
async function jsonLines(
  seller: TestSeller,
  path: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { text } = await seller.call('GET', `/orders/${path}`);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

/** An order of three units and shipping that has arrived, with a refund of the marketplace and a return. */
async function refunded(seller: TestSeller, title = 'Blue mug'): Promise<string> {
  const { sku } = await stocked(seller, 10, { title });
  const id = await placeOrder(app, seller, [
    { sku, quantity: 3, price: 2_000 },
    { kind: 'shipping', price: 500 },
  ]);
  await post(seller, `${id}/accept`);
  const { shipment_id } = await shipAll(seller, id);
  await apply(
    app,
    orderEvent(app, seller, 'shipment.delivered', shipment_id, {}),
    orderEvent(app, seller, 'refund.created', id, {
      refund_id: `re_${id}`,
      lines: [
        { order_line_no: 1, quantity: 1, amount_minor: 2_000 },
        { order_line_no: 2, amount_minor: 250 },
      ],
      reason: '=HYPERLINK("x")',
    }),
    orderEvent(app, seller, 'return.requested', id, {
      return_id: `rt_${id}`,
      lines: [{ order_line_no: 1, quantity: 2, reason: 'damaged' }],
      respond_by: new Date(app.app.services.now() + 86_400_000).toISOString(),
    }),
  );
  return id;
}

test('the refunds and returns of all orders are listed, newest first, by filter and page', async () => {
  const [seller, other] = [await app.seller({ plan: 'Small' }), await app.seller({ plan: 'Small' })];
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.unshift(await refunded(seller));
  await refunded(other);
  const [newest = '', middle = ''] = ids;
  const order = await readOrder(seller, newest);
  for (const kind of ['refunds', 'returns'] as const) {
    const { data, page } = await list(seller, kind);
    expect([data.map(({ order_id }) => order_id), page.has_more]).toEqual([ids, false]);
    expect(data[0]).toEqual({ ...order[kind][0], order_number: order.order_number });
    const first = await list(seller, `${kind}?limit=2`);
    expect(first.data).toEqual(data.slice(0, 2));
    const second = await list(seller, `${kind}?limit=2&cursor=${first.page.next_cursor}`);
    expect([second.data, second.page.has_more]).toEqual([data.slice(2), false]);
    expect((await list(seller, `${kind}?order_id=${middle}`)).data).toEqual(data.slice(1, 2));
  }
  await post(seller, `${middle}/returns/rt_${middle}/accept`);
  expect((await list(seller, 'returns?status=accepted')).data).toMatchObject([{ order_id: middle }]);
  expect((await list(seller, 'refunds?status=failed')).data).toEqual([]);
  const at = String((await list(seller, `refunds?order_id=${middle}`)).data[0]?.['created_at']);
  const since = await list(seller, `refunds?created_since=${at}`);
  const before = await list(seller, `refunds?created_before=${at}`);
  expect(since.data.map(({ order_id }) => order_id)).toEqual(ids.slice(0, 2));
  expect(before.data.map(({ order_id }) => order_id)).toEqual(ids.slice(2));
  const wrong = await seller.call<{ detail: object }>('GET', '/orders/returns?status=lost');
  expect([wrong.status, wrong.body.detail]).toMatchObject([422, [{ loc: ['query', 'status'] }]]);
});

test('orders are exported line by line; the lines add up to the order', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const id = await refunded(seller, '=1+1');
  const unknown = [{ title: 'Unknown goods', quantity: 2, price: 1_000 }];
  const waiting = await placeOrder(app, seller, unknown, { ship_to: { email: 'mia@example.com' } });
  const rows = await csv(seller, 'export');
  expect(rows[0]).toMatchObject({ ship_to_name: '', ship_to_email: 'mia@example.com' });
  const order = await readOrder(seller, id);
  expect(rows.map(({ order_id }) => order_id)).toEqual([waiting, id, id]);
  const [line, shipping] = rows.slice(1);
  expect(line).toMatchObject({
    order_number: order.order_number,
    status: 'delivered',
    ship_to_name: 'Mia Chen',
    ship_to_postcode: '2000',
    ship_to_line2: '',
    kind: 'item',
    title: "'=1+1",
    tracking_numbers: '2JD020603601000931508',
    carriers: 'australia_post',
    quantity: '3',
    delivered: '3',
    unit_price: '20.00',
    net: '60.00',
    order_total: '65.00',
    currency: 'AUD',
  });
  expect(shipping).toMatchObject({ kind: 'shipping', quantity: '1', net: '5.00', tracking_numbers: '' });
  expect((await csv(seller, `export?status=delivered`)).map(({ order_id }) => order_id)).toEqual([id, id]);
  const [object] = await jsonLines(seller, 'export?format=jsonl&status=awaiting_acceptance');
  expect(object).toMatchObject({
    order_id: waiting,
    quantity: 2,
    awaiting: 2,
    net: '20.00',
    product_id: null,
  });
  const stranger = await app.seller({ plan: 'Small' });
  expect(await csv(stranger, 'export')).toEqual([]);
});

test('refunds and returns are exported line by line', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const id = await refunded(seller);
  const order_number = (await readOrder(seller, id)).order_number;
  expect(await csv(seller, 'refunds/export')).toMatchObject([
    { order_id: id, order_number, kind: 'item', title: 'Blue mug', amount: '20.00', refund_amount: '22.50' },
    { order_id: id, order_number, kind: 'shipping', reason: `'=HYPERLINK("x")`, amount: '2.50' },
  ]);
  expect(await csv(seller, `returns/export?order_id=${id}`)).toMatchObject([
    {
      external_return_id: `rt_${id}`,
      title: 'Blue mug',
      reason: 'damaged',
      quantity: '2',
      received: '',
      compliant: '',
    },
  ]);
  expect(await jsonLines(seller, 'returns/export?format=jsonl')).toMatchObject([
    { quantity: 2, received: null },
  ]);
  expect(await csv(seller, 'returns/export?status=refused')).toEqual([]);
});

test('a file of more than one page has every line once', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const { sku } = await stocked(seller, 5_000);
  const events = Array.from({ length: 520 }, () => placement(app, seller, [{ sku }]));
  await apply(app, ...events);
  const ids = events.map(({ subject }) => subject);
  expect((await csv(seller, 'export')).map(({ order_id }) => order_id).sort()).toEqual(ids.toSorted());
});
