/** Cost components and the dashboard over HTTP: an unknown amount is never shown as zero. */

import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { tableOf } from '../../../../test/support/csv-tables.ts';
import { postFor } from '../../../../test/support/golden-ledger.ts';
import { apply, type Line, orderEvent, placeOrder, readOrder } from '../../../../test/support/orders.ts';
import { minor } from '../../../kernel/money.ts';
import { statementLegs } from '../../ledger/domain/journal.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });

interface Totals {
  readonly gross_minor: number;
  readonly fees_minor: number;
  readonly adjustments_minor: number;
  readonly net_payout_minor: number;
}
interface Row extends Totals {
  readonly order_id: string;
  readonly order_number: string | null;
  readonly margin_minor: null;
  readonly components: readonly { component: string; status: string; amount_minor: number | null }[];
  readonly coverage: { readonly missing_components: readonly string[] };
  readonly lines: readonly (Totals & { readonly sku: string | null; readonly margin_minor: null })[];
}

test('an order’s costs are split over its lines to the cent, and unrecorded costs are named as missing', async () => {
  const seller = await app.seller();
  const lines = ['A', 'B', 'C'].map((sku) => ({ sku, title: sku, price: 1_000 }));
  const id = await placeOrder(app, seller, lines);
  const { lines: placed, order_number } = await readOrder(seller, id);
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
  const known = { order_id: id, order_number };
  expect(row).toMatchObject({ ...known, fees_minor: 100, net_payout_minor: 2_900, margin_minor: null });
  const activity = '/financials/marketplace-activity/export/csv?quarter=FY2026-27-Q1&layout=orders';
  expect(tableOf((await seller.call('GET', activity)).text)).toMatchObject([known]);
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

test('an order whose sale was taken back keeps its fee on its lines', async () => {
  const seller = await app.seller();
  const prices = [1_000, 3_000];
  const id = await placeOrder(
    app,
    seller,
    prices.map((price, at) => ({ sku: `S${at}`, title: 'Mug', price })),
  );
  const { lines } = await readOrder(seller, id);
  const journal = (key: string, sign: 1 | -1) => ({
    ...{ kind: 'order_delivered' as const, key, currency: 'AUD', actor: 'test', order_id: id },
    occurred_at: '2026-07-19T00:00:00Z',
    legs: [
      ...lines.flatMap(({ order_line_id }, at) =>
        statementLegs(minor(sign * (prices[at] ?? 0)), { type: 'sale', description: 'Sale', order_line_id }),
      ),
      ...(sign > 0 ? statementLegs(minor(-100), { type: 'seller_order_fee', description: 'Fee' }) : []),
    ],
  });
  await postFor(app, seller.seller_id, [journal('sold', 1), journal('taken back', -1)]);
  const orders = await seller.call<{ data: Row[] }>('GET', '/profitability/components');
  const [row] = orders.body.data;
  expect([row?.gross_minor, row?.fees_minor, row?.net_payout_minor]).toEqual([0, 100, -100]);
  expect(row?.lines.map((line) => [line.sku, line.fees_minor])).toEqual([
    ['S0', 50],
    ['S1', 50],
  ]);
  for (const path of ['skus', 'coverage'])
    expect((await seller.call('GET', `/profitability/${path}`)).status).toBe(200);
});

interface SkuRow extends Totals {
  readonly sku: string | null;
  readonly order_count: number;
  readonly unit_count: number;
  readonly margin_minor: null;
  readonly components: Row['components'];
  readonly coverage: Row['coverage'];
}
interface Paged<T> {
  readonly data: T[];
  readonly page: { readonly next_cursor: string | null };
}
async function all<T>(seller: TestSeller, path: string): Promise<T[]> {
  const rows: T[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { status, body } = await seller.call<Paged<T>>('GET', `${path}${more}`);
    if (status !== 200) throw new Error(JSON.stringify(body));
    rows.push(...body.data);
    cursor = body.page.next_cursor;
  }
  return rows;
}
const totalOf = (rows: readonly Totals[]) =>
  (['gross_minor', 'fees_minor', 'adjustments_minor', 'net_payout_minor'] as const).map((name) =>
    rows.reduce((sum, row) => sum + row[name], 0),
  );

test('SKUs sum to the orders to the cent, page by page, and a component that an order lacks is unknown for its SKUs', async () => {
  const [seller, stranger] = [await app.seller(), await app.seller()];
  const deliver = async (lines: readonly Line[], fee: object) => {
    const id = await placeOrder(app, seller, lines);
    const total = lines.reduce((sum, { price = 0, quantity = 1 }) => sum + price * quantity, 0);
    const paid = { charge_id: `ch_${id}`, captured_minor: total, ...fee };
    await apply(
      app,
      orderEvent(app, seller, 'order.payment_captured', id, paid),
      orderEvent(app, seller, 'order.delivered', id, { delivered_at: '2026-07-18T00:00:00Z' }),
    );
    return id;
  };
  const item = (sku: string, price: number, quantity = 1) => ({ sku, title: sku, price, quantity });
  const shipping = { kind: 'shipping', price: 995 } as const;
  const mixed = await deliver([item('A', 1_001, 3), item('B', 333), shipping], { provider_fee_minor: 77 });
  await deliver([item('A', 700), item('C', 1)], { provider_fee_minor: 50 });
  await deliver([item('C', 2_000)], {});
  const refund = { refund_id: 'rf_1', lines: [{ order_line_no: 1, quantity: 1, amount_minor: 1_001 }] };
  await apply(app, orderEvent(app, seller, 'refund.created', mixed, { ...refund, reason: 'damaged' }));
  const skus = await all<SkuRow>(seller, '/profitability/skus?limit=2');
  expect(skus.map(({ sku, order_count, unit_count }) => [sku, order_count, unit_count])).toEqual([
    [null, 1, 1],
    ['A', 2, 4],
    ['B', 1, 1],
    ['C', 2, 2],
  ]);
  const orders = await all<Row>(seller, '/profitability/components?from=2026-07-01&limit=1');
  expect(orders).toHaveLength(3);
  expect(totalOf(skus)).toEqual(totalOf(orders));
  expect(totalOf(orders.flatMap(({ lines }) => lines))).toEqual(totalOf(orders));
  const metrics = await seller.call<Record<string, number>>('GET', '/financials/metrics?from=2026-07-01');
  expect(totalOf(skus).at(-1)).toBe(metrics.body['net_activity_minor']);
  const a = skus[1];
  const known = a?.components.flatMap(({ component, status, amount_minor }) =>
    status === 'known' && component !== 'gross' && component !== 'adjustments' ? [amount_minor ?? 0] : [],
  );
  expect(-(known ?? []).reduce((sum, amount) => sum + amount, 0)).toBe(a?.fees_minor);
  expect([a?.margin_minor, a?.coverage.missing_components]).toEqual([
    null,
    ['supplier_cost', 'external_freight'],
  ]);
  // One of C's orders has no provider's fee: the sum over both would be a wrong one.
  const c = skus[3]?.components.find(({ component }) => component === 'payment_processing');
  expect(c).toEqual({ component: 'payment_processing', status: 'not_captured', amount_minor: null });
  expect(await all(stranger, '/profitability/skus?limit=2')).toEqual([]);
  const first = await seller.call<Paged<SkuRow>>('GET', '/profitability/skus?limit=1');
  const foreign = `/profitability/skus?limit=1&cursor=${first.body.page.next_cursor}`;
  expect((await stranger.call('GET', foreign)).status).toBe(422);
  expect((await seller.call('GET', '/profitability/skus?from=2026-07-02&to=2026-07-01')).status).toBe(422);
});

test('the costs of a dispute are partly known without the provider’s fee, and the shown parts add up', async () => {
  const seller = await app.seller();
  const deliver = async (fee: object) => {
    const id = await placeOrder(app, seller, [{ sku: 'D', title: 'D', price: 3_000 }]);
    await apply(
      app,
      orderEvent(app, seller, 'order.payment_captured', id, {
        charge_id: `ch_${id}`,
        captured_minor: 3_000,
        ...fee,
      }),
      orderEvent(app, seller, 'order.delivered', id, { delivered_at: '2026-07-19T00:00:00Z' }),
    );
    return id;
  };
  const disputed = await deliver({});
  const dispute = { dispute_id: 'dp_partial', amount_minor: 3_000, provider_fee_minor: 2_500 };
  await apply(app, orderEvent(app, seller, 'dispute.opened', disputed, dispute));
  const path = `/profitability/components?order_id=${disputed}`;
  const [row] = await all<Row>(seller, path);
  await deliver({ provider_fee_minor: 80 });
  const [sku] = await all<SkuRow>(seller, '/profitability/skus?limit=2');
  for (const [shown, amount_minor] of [
    [row, -2_500],
    [sku, -2_580],
  ] as const) {
    expect(shown?.components).toContainEqual({
      component: 'payment_processing',
      status: 'partial',
      amount_minor,
    });
    expect(shown?.coverage.missing_components).toContain('payment_processing');
    const sum = shown?.components.reduce((total, one) => total + (one.amount_minor ?? 0), 0);
    expect(sum).toBe(shown?.net_payout_minor);
  }
});

test('an order of another currency is not shown in this one', async () => {
  const seller = await app.seller();
  const legs = statementLegs(minor(1_000), { type: 'sale', description: 'Sale' });
  const journal = { kind: 'order_delivered', key: 'nz', actor: 'test', order_id: 'ord_nz', legs } as const;
  await postFor(app, seller.seller_id, [
    { ...journal, currency: 'NZD', occurred_at: '2026-07-19T00:00:00Z' },
  ]);
  const read = async (query: string) =>
    (await seller.call<{ data: Row[] }>('GET', `/profitability/components?order_id=ord_nz${query}`)).body
      .data;
  expect(await read('')).toEqual([]);
  const lacks = async (query: string) =>
    (await seller.call<{ missing_components: string[] }>('GET', `/profitability/${query}`)).body
      .missing_components;
  const days = 'from=2026-07-01&to=2026-07-31';
  for (const path of ['components', `components?${days}`, `skus?${days}`, `coverage?${days}`])
    expect(await lacks(path), path).toContain('other_currencies');
  for (const path of ['components?from=2026-07-20', 'components?to=2026-07-18', 'skus?from=2026-07-20'])
    expect(await lacks(path), path).not.toContain('other_currencies');
  expect((await read('&currency=NZD')).map(({ net_payout_minor }) => net_payout_minor)).toEqual([1_000]);
  expect(await read('&currency=NZD&sku=A')).toEqual([]);
});

const NOT_RECORDED = ['storefront_traffic', 'supplier_cost'];

test('the summary has money and work, and names its missing parts', async () => {
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
    semantic_status: 'partial',
    missing_components: NOT_RECORDED,
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
    missing_components: ['payment_processing', ...NOT_RECORDED],
    finance: { delivered_sales_minor: 1_000 },
  });
});
