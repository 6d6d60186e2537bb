/** Cost components and the dashboard over HTTP: what is not known is never zero. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/support/app.ts';
import { postFor } from '../../../test/support/golden-ledger.ts';
import { apply, orderEvent, placeOrder, readOrder } from '../../../test/support/orders.ts';
import { minor } from '../../kernel/money.ts';
import { statementLegs } from '../financials/index.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });

interface Row {
  readonly order_id: string;
  readonly net_payout_minor: number;
  readonly fees_minor: number;
  readonly margin_minor: null;
  readonly components: readonly { component: string; status: string; amount_minor: number | null }[];
  readonly coverage: { readonly missing_components: readonly string[] };
  readonly lines: readonly {
    sku: string | null;
    fees_minor: number;
    net_payout_minor: number;
    margin_minor: null;
  }[];
}

test('an order’s costs are shared over its lines to the cent, and what nobody recorded is missing', async () => {
  const seller = await app.seller();
  const lines = ['A', 'B', 'C'].map((sku) => ({ sku, title: sku, price: 1_000 }));
  const id = await placeOrder(app, seller, lines);
  const placed = (await readOrder(seller, id)).lines;
  await postFor(app, seller.seller_id, [
    {
      kind: 'order_delivered',
      key: 'd',
      currency: 'AUD',
      occurred_at: '2026-07-19T00:00:00Z',
      actor: 'test',
      order_id: id,
      legs: [
        ...placed.flatMap(({ order_line_id }) =>
          statementLegs(minor(1_000), { type: 'sale', description: 'Sale', order_line_id }),
        ),
        ...statementLegs(minor(-100), { type: 'seller_order_fee', description: 'Fee' }),
      ],
    },
  ]);
  const { status, body } = await seller.call<{ data: Row[]; missing_components: string[] }>(
    'GET',
    '/profitability/components?sku=B',
  );
  expect(status).toBe(200);
  const [row] = body.data;
  expect(row).toMatchObject({ order_id: id, fees_minor: 100, net_payout_minor: 2_900, margin_minor: null });
  expect(
    row?.lines.map((line) => [line.sku, line.fees_minor, line.net_payout_minor, line.margin_minor]),
  ).toEqual([
    ['A', 34, 966, null],
    ['B', 33, 967, null],
    ['C', 33, 967, null],
  ]);
  const statuses = Object.fromEntries(
    row?.components.map((one) => [one.component, [one.status, one.amount_minor]]) ?? [],
  );
  expect(statuses).toMatchObject({
    gross: ['known', 3_000],
    payment_processing: ['not_captured', null],
    supplier_cost: ['missing', null],
  });
  expect(row?.coverage.missing_components).toEqual([
    'payment_processing',
    'supplier_cost',
    'external_freight',
  ]);
  const none = await seller.call<{ data: Row[] }>('GET', '/profitability/components?sku=Z');
  expect(none.body.data).toEqual([]);
  const stranger = await app.seller();
  const theirs = await stranger.call<{ data: Row[] }>('GET', `/profitability/components?order_id=${id}`);
  expect(theirs.body.data).toEqual([]);
});

test('the summary has money and work, and says what it does not have', async () => {
  const seller = await app.seller();
  const id = await placeOrder(app, seller, [{ sku: 'A', title: 'A', price: 1_000 }]);
  const read = () =>
    seller.call<{
      orders: object;
      semantic_status: string;
      missing_components: string[];
      finance: { delivered_sales_minor: number };
    }>('GET', '/dashboard/summary');
  expect((await read()).body).toMatchObject({
    orders: { to_accept: 1, to_dispatch: 0 },
    semantic_status: 'complete',
    missing_components: ['storefront_traffic', 'supplier_cost'],
    finance: { delivered_sales_minor: 0 },
  });
  await apply(app, orderEvent(app, seller, 'order.delivered', id, { delivered_at: '2026-07-19T00:00:00Z' }));
  await postFor(app, seller.seller_id, [
    {
      kind: 'order_delivered',
      key: 'by-hand',
      currency: 'AUD',
      occurred_at: '2026-07-19T00:00:00Z',
      actor: 'test',
      order_id: id,
      legs: statementLegs(minor(1_000), { type: 'sale', description: 'Sale' }),
    },
  ]);
  const { body, headers } = await read();
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toMatchObject({
    semantic_status: 'partial',
    missing_components: ['payment_processing', 'storefront_traffic', 'supplier_cost'],
    finance: { delivered_sales_minor: 1_000 },
  });
});
