import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { wait } from '../../../../test/support/marketing.ts';
import { MONEY_PATHS, moneyAnswers } from '../../../../test/support/money-answers.ts';
import {
  allotted,
  apply,
  orderEvent,
  placeOrder,
  post,
  shipAll,
  stocked,
  stockOf,
} from '../../../../test/support/orders.ts';
import { pricing } from '../../../../test/support/pricing.ts';
import {
  answered,
  movePurchase,
  mugSupplier,
  type Purchase,
  pathOf,
  readPurchase,
  receiptBody,
  submitted,
  supplierDoes,
} from '../../../../test/support/purchases.ts';
import { newSupplier } from '../../../../test/support/sourcing.ts';
import { listItem, publishSupplier } from '../../../../test/support/supplier.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-03T00:00:00.000Z' });
const DAY_MS = 86_400_000;
interface Booked {
  readonly receipt_id: string;
  readonly code?: string;
  readonly lines: readonly { readonly quantity_on_hand: number | null }[];
  readonly warnings: readonly { readonly code: string }[];
}
const outcome = ({ status, body }: { status: number; body: { code?: unknown } | undefined }) => [
  status,
  body?.code ?? null,
];
const book = (seller: TestSeller, order: Purchase, json: object, query = '') =>
  movePurchase<Booked>(seller, order, `receipts${query}`, json);
const reverse = (seller: TestSeller, { receipt_id }: Booked) =>
  seller.call<Booked>('POST', `/wholesale/receipts/${receipt_id}/reverse`, {
    json: { reason: 'Wrong order' },
  });
const costs = async (seller: TestSeller, product_id: string) =>
  (await seller.call<{ data: object[] }>('GET', `/profitability/unit-costs?product_id=${product_id}`)).body
    .data;
const units = ({ lines: [line] }: Purchase) =>
  ['unconfirmed', 'confirmed', 'received', 'cancelled', 'rejected_at_receipt'].map(
    (name) => line?.quantities[name],
  );

/** The order of golden example 6.1: 144 mugs and 24 bowls. */
async function golden(seller: TestSeller) {
  const supplier = await mugSupplier(app);
  const bowl_id = `sit_${randomUUID().replaceAll('-', '').slice(0, 26)}`;
  const bowl = {
    ...{ supplier_item_id: bowl_id, supplier_sku: bowl_id, title: 'Bowl', pack_size: 6, minimum_quantity: 6 },
    ...{ price_breaks: [{ min_quantity: 6, pack_price_minor: 7_350 }], status: 'active' },
  };
  await app.events({
    ...{ specversion: '1.0', id: randomUUID(), source: '/marketplace/core' },
    time: new Date(app.app.services.now()).toISOString(),
    ...{
      type: 'marketplace.supplier.items_published',
      subject: supplier.supplier_id,
      data: { items: [bowl] },
    },
  });
  const [mug, bowls] = [await stocked(seller, 10, { price_minor: 2_499 }), await stocked(seller, 0)];
  const order = await submitted(seller, supplier, {
    lines: [
      { supplier_item_id: supplier.supplier_item_id, quantity: 144, product_id: mug.product_id },
      { supplier_item_id: bowl_id, quantity: 24, product_id: bowls.product_id },
    ],
  });
  return { order, mug, bowl: bowls };
}

test('golden example: stock, units, unit costs, history; no amount of money moves', async () => {
  let seller = await app.seller();
  const { order, mug, bowl } = await golden(seller);
  expect(order).toMatchObject({ goods_minor: 100_740, freight_minor: 3_850, total_minor: 104_590 });
  const [mugLine, bowlLine] = order.lines.map(({ purchase_line_id }) => purchase_line_id);
  const sell = async (quantity: number) => {
    const id = await placeOrder(app, seller, [{ sku: mug.sku, quantity, price: 2_499 }]);
    const captured = { charge_id: `ch_${id}`, captured_minor: quantity * 2_499, provider_fee_minor: 0 };
    await apply(app, orderEvent(app, seller, 'order.payment_captured', id, captured));
    await post(seller, `${id}/accept`);
    const parcel = await shipAll(seller, id);
    await apply(app, orderEvent(app, seller, 'shipment.delivered', parcel.shipment_id, {}));
    return id;
  };
  const early = await sell(1);
  await wait(app, DAY_MS);
  seller = await seller.renew();
  await app.app.services.jobs.runDue();
  const before = await moneyAnswers(seller);
  expect(before.map(([, status]) => status)).toEqual(MONEY_PATHS.map(() => 200));
  const hoursAgo = (hours: number) => ({
    time: new Date(app.app.services.now() - hours * 3_600_000).toISOString(),
  });
  const answers = [
    { line_no: 1, accepted: 132, declined: 12 },
    { line_no: 2, accepted: 24, declined: 0 },
  ];
  const told = { answer_id: 'a-1', lines: answers };
  expect(await supplierDoes(app, seller, order, 'order_answered', told, hoursAgo(2))).toBe('applied');
  expect(await costs(seller, mug.product_id)).toEqual([]);
  const first = receiptBody(app, order, 0, {
    lines: [
      { purchase_line_id: mugLine, good: 101 },
      { purchase_line_id: bowlLine, good: 24 },
    ],
  });
  const one = await book(seller, order, first);
  expect(one.body).toMatchObject({
    lines: [{ quantity_on_hand: 110 }, { quantity_on_hand: 24 }],
    warnings: [],
  });
  const cost = {
    effective_from: '2026-08-04',
    source: 'purchase_order',
    cost_id: null,
    missing: [],
    in_force: true,
  };
  expect(await costs(seller, mug.product_id)).toMatchObject([
    { ...cost, amount_micros: 5_143_472, purchase_line_id: mugLine },
  ]);
  expect(await costs(seller, bowl.product_id)).toMatchObject([{ ...cost, amount_micros: 12_718_333 }]);
  const second = receiptBody(app, order, 0, {
    lines: [{ purchase_line_id: mugLine, good: 29, rejected: [{ quantity: 2, reason: 'damaged' }] }],
  });
  expect((await book(seller, order, second)).status).toBe(201);
  expect(units(await readPurchase(seller, order))).toEqual([0, 2, 130, 12, 2]);
  const late = { cancel_id: 'c-1', reason: 'out_of_stock', lines: [{ line_no: 1, quantity: 10 }] };
  expect(await supplierDoes(app, seller, order, 'order_cancelled', late, hoursAgo(1))).toBe('applied');
  expect(await readPurchase(seller, order)).toMatchObject({ status: 'received' });
  expect((await movePurchase(seller, order, 'close', { reason: 'other' })).body).toMatchObject({
    ...{ status: 'received', allowed_actions: ['reverse'] },
  });
  expect(units(await readPurchase(seller, order))).toEqual([0, 0, 130, 14, 2]);
  expect(await stockOf(seller, mug.product_id)).toEqual([139, 0]);
  expect(await moneyAnswers(seller)).toEqual(before);
  const { body } = await seller.call<{ data: object[] }>(
    'GET',
    `/products/${mug.product_id}/history?limit=2`,
  );
  const reason = expect.stringMatching(new RegExp(`^${order.number} rec_`));
  expect(body.data).toMatchObject([
    {
      action: 'goods_received',
      changes: [
        { before: 110, after: 139 },
        { field: 'reason', after: reason },
      ],
    },
    { action: 'goods_received', actor: { kind: 'member' } },
  ]);
  const sold = await sell(30);
  const { body: shown } = await seller.call<{ data: { order_id: string; components: object[] }[] }>(
    'GET',
    '/profitability/components',
  );
  const costOf = (id: string) =>
    shown.data
      .find(({ order_id }) => order_id === id)
      ?.components.find((one) => (one as { component: string }).component === 'supplier_cost');
  expect(costOf(sold)).toMatchObject({ status: 'known', amount_minor: -15_430 });
  expect(costOf(early)).toMatchObject({ status: 'missing', amount_minor: null });
});

test('the same docket books once, with or without a key; what is not owed is refused', async () => {
  const seller = await app.seller();
  const { product_id } = await stocked(seller, 0);
  const order = await submitted(seller, await mugSupplier(app), {}, { product_id });
  const docket = receiptBody(app, order, 100);
  const headers = { 'idempotency-key': randomUUID() };
  const keyed = () => seller.call<Booked>('POST', pathOf(order, '/receipts'), { json: docket, headers });
  const tried = await book(seller, order, docket, '?dry_run=true');
  expect([tried.status, tried.body.lines[0]?.quantity_on_hand]).toEqual([201, 100]);
  expect(await stockOf(seller, product_id)).toEqual([0, 0]);
  const first = await keyed();
  expect((await keyed()).body).toEqual(first.body);
  const again = await book(seller, order, docket);
  expect([outcome(again), again.body.receipt_id]).toEqual([
    ...[[409, 'receipt_reference_used'], first.body.receipt_id],
  ]);
  expect(await stockOf(seller, product_id)).toEqual([100, 0]);
  expect((await book(seller, order, receiptBody(app, order, 45))).body).toMatchObject({
    ...{ code: 'quantity_exceeds_outstanding', outstanding: 44, quantity: 45 },
  });
  const line = order.lines[0]?.purchase_line_id;
  const wrong: readonly (readonly [object, string])[] = [
    [{ received_at: '2026-07-01T00:00:00Z' }, 'instant_out_of_range'],
    [{ received_at: '2027-01-01T00:00:00Z' }, 'instant_out_of_range'],
    [{ lines: [{ purchase_line_id: line, good: 0 }] }, 'missing'],
    [{ lines: [1, 2].map((good) => ({ purchase_line_id: line, good })) }, 'duplicate'],
  ];
  for (const [more, type] of wrong)
    expect((await book(seller, order, receiptBody(app, order, 1, more))).body).toMatchObject({
      detail: [{ type }],
    });
  const strange = receiptBody(app, order, 1, { lines: [{ purchase_line_id: 'pol_none', good: 1 }] });
  expect((await book(seller, order, strange)).status).toBe(404);
  const many = await Promise.all(
    Array.from({ length: 6 }, () => book(seller, order, receiptBody(app, order, 11))),
  );
  expect(many.filter(({ status }) => status === 201)).toHaveLength(4);
  expect(await stockOf(seller, product_id)).toEqual([144, 0]);
});

test('an oversold order gets its units; a reversal takes them back once, and only while they are free', async () => {
  const seller = await app.seller();
  const { sku, product_id } = await stocked(seller, 0);
  const order = await submitted(seller, await mugSupplier(app), {}, { product_id });
  await placeOrder(app, seller, [{ sku, quantity: 5 }]);
  const booked = (await book(seller, order, receiptBody(app, order, 50))).body;
  await app.app.services.jobs.runDue();
  await allotted(app, seller);
  expect(await stockOf(seller, product_id)).toEqual([50, 5]);
  expect(outcome(await reverse(seller, booked))).toEqual([409, 'insufficient_stock']);
  const later = (await book(seller, order, receiptBody(app, order, 20))).body;
  expect(outcome(await reverse(seller, booked))).toEqual([409, 'not_last_receipt']);
  const back = await reverse(seller, later);
  expect([back.status, back.body.lines[0]?.quantity_on_hand]).toEqual([201, 50]);
  expect(outcome(await reverse(seller, later))).toEqual([409, 'receipt_reversed']);
  expect(outcome(await reverse(seller, back.body))).toEqual([409, 'receipt_reversed']);
  expect(await stockOf(seller, product_id)).toEqual([50, 5]);
  expect(units(await readPurchase(seller, order))).toEqual([94, 0, 50, 0, 0]);
  const listed = await seller.call<{ data: object[] }>('GET', pathOf(order, '/receipts'));
  expect(listed.body.data).toMatchObject([
    { reverses: later.receipt_id, reason: 'Wrong order' },
    { reversed_by: back.body.receipt_id },
    { receipt_id: booked.receipt_id, reversed_by: null },
  ]);
});

test('what is unusual about a line is said; a product that a supplier counts is refused', async () => {
  const seller = await app.seller({ plan: 'Big', account_flags: ['pricing'] });
  const supplier = await newSupplier(app, { flat_freight_minor: null });
  const unmapped = await submitted(seller, await mugSupplier(app));
  expect((await book(seller, unmapped, receiptBody(app, unmapped, 12))).body.warnings).toMatchObject([
    { code: 'no_product' },
  ]);
  const unknown = await stocked(seller, null);
  const order = await submitted(seller, await mugSupplier(app), {}, { product_id: unknown.product_id });
  await seller.call('DELETE', `/products/${unknown.product_id}`);
  expect(
    (await book(seller, order, receiptBody(app, order, 12))).body.warnings.map(({ code }) => code),
  ).toEqual([...['stock_unknown', 'product_archived']]);
  expect(await stockOf(seller, unknown.product_id)).toEqual([null, 0]);
  const [item] = (await publishSupplier(app)).items;
  const { product_id } = await listItem(seller, item ?? { supplier_item_id: '', supplier_sku: '' });
  const mirrored = await submitted(seller, await mugSupplier(app), {}, { product_id });
  expect(outcome(await book(seller, mirrored, receiptBody(app, mirrored, 12)))).toEqual([
    409,
    'stock_mirrored',
  ]);
  // Freight that is not stated is missing in the cost.
  const { product_id: mug } = await stocked(seller, 0);
  const json = {
    supplier_id: supplier.supplier_id,
    lines: [{ supplier_item_id: supplier.supplier_item_id, quantity: 48, product_id: mug }],
  };
  const made = await seller.call<Purchase>('POST', '/wholesale/purchase-orders', {
    json: {
      ...json,
      ship_to: { line1: '1 Street', city: 'Sydney', state: 'NSW', postcode: '2000', country: 'AU' },
    },
  });
  const sent = (await movePurchase(seller, made.body, 'submit', { freight_cap_minor: 500 })).body;
  await book(seller, sent, receiptBody(app, sent, 48));
  const known = { source: 'purchase_order', amount_micros: 5_150_000, missing: ['inbound_freight'] };
  expect(await costs(seller, mug)).toMatchObject([known]);
  // Such a cost makes no margin.
  const simulated = async () => {
    const { body } = await seller.call<{
      items: { then: { unit_cost_micros: number | null }; missing_components: string[] }[];
    }>('POST', '/pricing/simulations', { json: { items: [{ product_id: mug, price_minor: 2_499 }] } });
    const [one] = body.items;
    return [one?.then.unit_cost_micros, one?.missing_components.filter((name) => /cost|freight/.test(name))];
  };
  expect(await simulated()).toEqual([null, ['inbound_freight', 'supplier_cost']]);
  const told = { ...answered(48, 0, { pack_price_minor: 6_000 }), freight_minor: 480 };
  expect(await supplierDoes(app, seller, sent, 'order_answered', told)).toBe('applied');
  expect(await costs(seller, mug)).toMatchObject([{ amount_micros: 5_100_000, missing: [] }]);
  expect(await simulated()).toEqual([5_100_000, []]);
});

test('within a minute prices with a margin follow what units cost, also when a receipt is taken back', async () => {
  const { shop, shown, limit, rule, list, passes } = pricing(app);
  const seller = await shop();
  const { product_id } = await shown(seller);
  await limit(seller, product_id, { floor_minor: 100 });
  await rule(seller, { strategy: 'hold_margin', params: { margin_bps: 2_000 } });
  const evaluated = async () => {
    await passes();
    return (await list(seller)).data.map(({ evaluation: { status, code } }) => [status, code]);
  };
  const unknown = [['blocked', 'margin_not_evaluable']];
  expect(await evaluated()).toEqual(unknown);
  const order = await submitted(seller, await mugSupplier(app), {}, { product_id });
  const { body } = await book(seller, order, receiptBody(app, order, 12));
  expect(await evaluated()).toEqual([['recommended', null]]);
  expect((await reverse(seller, body)).status).toBe(201);
  expect(await evaluated()).toEqual(unknown);
});

test('suggestions to reorder know what is on its way, and the file names its scope', async () => {
  const seller = await app.seller();
  const { product_id } = await stocked(seller, 1, { reorder_point: 5 });
  const order = await submitted(seller, await mugSupplier(app), { reference: '=1+1' }, { product_id });
  const suggested = await seller.call<{ data: object[] }>('GET', '/products/reorder-suggestions');
  expect(suggested.body.data).toMatchObject([{ product_id, quantity_incoming: 144 }]);
  const { text, status, headers } = await seller.call(
    'GET',
    '/wholesale/purchase-orders/export?from=2026-08-01',
  );
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/csv')]);
  const [head, row, ...rest] = text.trim().split('\r\n');
  expect(head).toMatch(/^scope,number,/);
  expect(row).toMatch(new RegExp(`^purchasing_not_financial_records,${order.number},`));
  expect(row).toContain("'=1+1");
  expect([rest, row]).toEqual([[], expect.stringContaining('59.45,713.40,38.50')]);
  const none = await seller.call('GET', '/wholesale/purchase-orders/export?from=2026-01-01&to=2026-01-02');
  expect(none.text.trim().split('\r\n')).toHaveLength(1);
});
