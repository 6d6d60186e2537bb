/** Customer analytics over HTTP, from events of the marketplace. Source: docs/design/customer-analytics.md. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { afterJobs } from '../../../../test/support/jobs.ts';
import {
  apply,
  orderEvent,
  placement,
  post,
  publishRates,
  shipAll,
} from '../../../../test/support/orders.ts';
import { night } from '../../../../test/support/quality.ts';
import { addDays } from '../../../kernel/australia/settlement-period.ts';

// Noon of Sunday, 2 August in Sydney: figures count to 1 August.
const NOW = '2026-08-02T02:00:00Z';
const TODAY = '2026-08-02';
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: NOW });

interface Payload {
  readonly semantic_status: string;
  readonly [field: string]: unknown;
}
const call = (seller: TestSeller, name: string) => seller.call<Payload>('GET', `/customer-analytics/${name}`);
const read = async (seller: TestSeller, name: string): Promise<Payload> => (await call(seller, name)).body;
const NAMES = ['summary', 'segments', 'cohorts', 'lifetime-value'];

/** An order of a buyer at noon of a Sydney day; without a buyer the order has no reference. */
const bought = (seller: TestSeller, buyer: string | null, day: string, price = 2_000, more: object = {}) =>
  placement(app, seller, [{ title: 'Mug', price }], {
    placed_at: `${day}T02:00:00Z`,
    buyer: buyer === null ? {} : { alias: `alias-${buyer}`, customer_ref: `ref-${buyer}` },
    ...more,
  });
const inBatches = async (events: readonly Record<string, unknown>[]): Promise<void> => {
  for (let at = 0; at < events.length; at += 100) await apply(app, ...events.slice(at, at + 100));
};
/** Orders of a buyer, thirty days apart, the last one so many days ago. */
const series = (seller: TestSeller, buyer: string, daysAgo: number, orders: number) =>
  Array.from({ length: orders }, (_, index) =>
    bought(seller, buyer, addDays(TODAY, -daysAgo - 30 * (orders - 1 - index))),
  );
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

test('golden segments: every buyer is in one, and the sums are those of the summary', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const golden = [
    ...[
      [10, 6],
      [15, 4],
      [40, 5],
      [44, 3],
      [20, 2],
      [5, 1],
      [45, 1],
      [46, 1],
      [60, 2],
      [90, 2],
      [91, 3],
    ],
    // Gaps of 30 days.
    ...times(8, () => [10, 6]),
  ] as const;
  await inBatches(
    golden.flatMap(([days = 0, orders = 0], index) => series(seller, `g${index}`, days, orders)),
  );
  await night(app, seller);
  const { segments, ...frame } = await read(seller, 'segments');
  expect(frame).toMatchObject({
    ...{ semantic_status: 'complete', cache_status: 'fresh', facts_through_on: '2026-08-01' },
    ...{ source_contract: 'customer-analytics.segments.v1', currency: 'AUD', currency_exponent: 2 },
  });
  const of = (segment: string, buyers: number, orders: number, more: object = {}) =>
    expect.objectContaining({ segment, buyers, orders, ...more });
  expect(segments).toEqual([
    of('champions', 10, 58, {
      ...{ rule: '4 orders or more, the last at most 30 days ago', mean_net_minor: 2_000 },
      ...{ share_bps: 5_263, status: 'complete' },
    }),
    of('loyal', 2, 8, { mean_net_minor: null, status: 'insufficient_sample' }),
    of('returning', 1, 2),
    of('new', 2, 2),
    of('at_risk', 2, 4),
    of('lapsed', 1, 3),
    of('one_time', 1, 1, { rule: 'one order or more', share_bps: 526 }),
  ]);
  expect(await read(seller, 'summary')).toMatchObject({
    ...{ buyers: 19, new_buyers_90d: 4, repeat_rate_bps: 10_000, gap_days: 30, covered_orders_bps: 10_000 },
  });
});

test('counts of few buyers are shown as an insufficient sample, if nothing else is missing', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const statuses = async () => {
    await night(app, seller);
    return Promise.all(NAMES.map(async (name) => (await read(seller, name)).semantic_status));
  };
  await inBatches(times(4, (n) => bought(seller, `f${n}`, '2026-05-01')));
  expect(await statuses()).toEqual(times(4, () => 'insufficient_sample'));
  expect(await read(seller, 'summary')).toMatchObject({ buyers: 4, repeat_rate_bps: null });
  await inBatches(times(2, () => bought(seller, null, '2026-05-01')));
  expect(await statuses()).toEqual(times(4, () => 'partial'));
  await inBatches(times(4, (n) => bought(seller, `g${n}`, '2026-05-01')));
  expect(await statuses()).toEqual(times(4, () => 'complete'));
});

/** Eight buyers of May and ten of June, who come back. */
const goldenCohorts = (seller: TestSeller) => [
  ...times(8, (n) => bought(seller, `m${n}`, '2026-05-10', 5_000)),
  ...times(3, (n) => bought(seller, `m${n}`, '2026-06-10', 3_000)),
  ...times(2, (n) => bought(seller, `m${n}`, '2026-07-10', 2_500)),
  ...times(10, (n) => bought(seller, `n${n}`, '2026-06-10', 6_200)),
  ...times(4, (n) => bought(seller, `n${n}`, '2026-07-10', 3_500)),
];

test('golden cohorts and lifetime value; a running month is not complete', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await inBatches(goldenCohorts(seller));
  await night(app, seller);
  const { body, headers } = await call(seller, 'cohorts');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toMatchObject({
    cohorts: [
      {
        ...{ month: '2026-05', buyers: 8 },
        cells: [
          { m: 0, buyers: 8, net_minor: 40_000, complete: true },
          { m: 1, buyers: 3, retained_bps: 3_750, net_minor: null },
          { m: 2, buyers: 2, retained_bps: 2_500, net_minor: null },
          { m: 3, buyers: null, retained_bps: null, net_minor: null, complete: false },
        ],
      },
      { month: '2026-06', buyers: 10, cells: [{ net_minor: 62_000 }, { retained_bps: 4_000 }, {}] },
    ],
    average_retained_bps: [10_000, 3_889, 2_500],
  });
  expect(await read(seller, 'lifetime-value')).toMatchObject({
    by_cohort: [
      { month: '2026-05', value_minor: [5_000, 6_125, 6_750] },
      { month: '2026-06', value_minor: [6_200, 7_600] },
    ],
    ...{ overall: [5_667, 6_944, 6_750], basis: 'realised' },
  });
  expect((await read(seller, 'cohorts?months=1'))['cohorts']).toMatchObject([{ month: '2026-06' }]);
  const file = await call(seller, 'cohorts?format=csv');
  expect(file.text.split('\r\n').slice(0, 6)).toEqual([
    'month,cohort_buyers,m,buyers,retained_bps,net,currency,complete',
    '2026-05,8,0,8,10000,400.00,AUD,true',
    '2026-05,8,1,3,3750,,AUD,true',
    '2026-05,8,2,2,2500,,AUD,true',
    '2026-05,8,3,,,,AUD,false',
    '2026-06,10,0,10,10000,620.00,AUD,true',
  ]);
  const tag = headers.get('etag') ?? '';
  const again = { headers: { 'if-none-match': tag } };
  expect((await seller.call('GET', '/customer-analytics/cohorts', again)).status).toBe(304);
});

test('no table and no answer holds a reference or an alias; an erased buyer is gone the next night', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await inBatches(goldenCohorts(seller));
  await night(app, seller);
  const before = await read(seller, 'summary');
  const data = { request_id: 'ers-1', customer_ref: 'ref-m7', requested_at: NOW };
  await app.events(orderEvent(app, seller, 'buyer.erasure_requested', seller.seller_id, data));
  await night(app, seller);
  const after = await read(seller, 'summary');
  expect([before['buyers'], after['buyers'], after['covered_orders_bps']]).toEqual([18, 17, 9_630]);
  expect((await read(seller, 'cohorts'))['cohorts']).toMatchObject([{ buyers: 7 }, { buyers: 10 }]);
  const orders = await asOwner(app, 'select order_id from sales_order where seller_id = $1', [
    seller.seller_id,
  ]);
  expect(orders).toHaveLength(27);
  const answers = await Promise.all(NAMES.map(async (name) => (await call(seller, name)).text));
  const stored = await asOwner(app, 'select to_jsonb(s)::text from insight_snapshot s');
  expect(stored.length).toBeGreaterThan(3);
  const own = await asOwner<{ name: string }>(
    app,
    "select relname as name from pg_class where relname ~ '(customer|buyer|cohort|segment)' and relkind = 'r'",
  );
  expect(own.map(({ name }) => name).sort()).toEqual(['buyer', 'buyer_erasure']);
  expect(JSON.stringify([answers, stored])).not.toMatch(/ref-|alias-|byr_|ord_/);
});

test('a cohort of four shows its number and no money, and the overall value hides it too', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await inBatches([
    ...times(8, (n) => bought(seller, `m${n}`, '2026-05-10', 5_000)),
    ...times(4, (n) => bought(seller, `j${n}`, '2026-06-10', 9_000)),
  ]);
  await night(app, seller);
  expect(await read(seller, 'lifetime-value')).toMatchObject({
    by_cohort: [
      { month: '2026-05', value_minor: [5_000, 5_000, 5_000] },
      { month: '2026-06', buyers: 4, value_minor: [null, null], status: 'insufficient_sample' },
    ],
    overall: [5_000, 5_000, 5_000],
  });
  expect((await read(seller, 'cohorts'))['cohorts']).toMatchObject([
    {},
    { buyers: 4, cells: [{ buyers: 4, net_minor: null }, {}, {}] },
  ]);
  // With a second small cohort they are enough together.
  await inBatches([bought(seller, 'k', '2026-07-10', 9_000)]);
  await night(app, seller);
  expect((await read(seller, 'lifetime-value'))['overall']).toEqual([6_538, 5_000, 5_000]);
});

test.each([
  [9, 1, 'complete', []],
  [8, 2, 'complete', []],
  [6, 4, 'partial', ['customer_identity']],
  [5, 5, 'partial', ['customer_identity']],
  [4, 6, 'insufficient_history', ['customer_identity']],
] as const)(
  '%i orders of known buyers and %i of unknown ones: %s',
  async (known, unknown, semantic_status, missing) => {
    const seller = await app.seller({ plan: 'Big' });
    await inBatches([
      ...times(known, (n) => bought(seller, `k${n}`, '2026-05-01')),
      ...times(unknown, () => bought(seller, null, '2026-05-01')),
    ]);
    await night(app, seller);
    const isEmpty = semantic_status === 'insufficient_history';
    for (const name of NAMES)
      expect(await read(seller, name)).toMatchObject({ semantic_status, missing_components: missing });
    expect(await read(seller, 'summary')).toMatchObject({
      buyers: isEmpty ? null : known,
      covered_orders_bps: isEmpty ? null : known * 1_000,
      ...(isEmpty && { needs: [{ what: 'covered_orders_bps', have: 4_000, required: 5_000 }] }),
    });
    if (isEmpty)
      expect(await read(seller, 'cohorts')).toMatchObject({ cohorts: [], average_retained_bps: [] });
  },
);

test('a new seller has no figures: first not computed, then too little history', async () => {
  const seller = await app.seller({ plan: 'Big' });
  for (const name of NAMES)
    expect(await read(seller, name)).toMatchObject({
      ...{ semantic_status: 'not_computed', cache_status: 'none', retry_after_seconds: 15 },
    });
  await afterJobs(
    app,
    () => read(seller, 'summary'),
    (body) => !('retry_after_seconds' in body),
  );
  for (const name of NAMES) {
    const { needs, ...body } = await read(seller, name);
    expect(needs).toEqual([{ what: 'orders', have: 0, required: 1 }]);
    expect(body).toMatchObject({ semantic_status: 'insufficient_history', cache_status: 'fresh' });
    // Nothing is a zero that was not measured.
    expect(Object.values(body)).not.toContain(0);
  }
});

test('what is left of an order counts: without cancelled units, refunds, other currencies and today', async () => {
  const [seller, other] = [await app.seller({ plan: 'Big' }), await app.seller({ plan: 'Big' })];
  await publishRates(app, seller, 'NZD');
  const day = '2026-06-10';
  const part = placement(
    app,
    seller,
    [
      { title: 'Mug', quantity: 3, price: 1_000 },
      { kind: 'shipping', price: 500 },
    ],
    {
      ...{ placed_at: `${day}T02:00:00Z`, buyer: { customer_ref: 'ref-a' } },
    },
  );
  const gone = bought(seller, 'gone', day);
  const refunded = bought(seller, 'b', day, 4_000);
  await inBatches([
    ...[part, gone, refunded],
    ...['c', 'd', 'e'].map((buyer) => bought(seller, buyer, day, 1_000)),
    bought(seller, 'f', day, 9_000, { currency: 'NZD' }),
    bought(seller, 'g', TODAY, 9_000),
    // The same people at another seller are others.
    ...times(6, () => bought(other, 'a', '2026-07-10', 50_000)),
  ]);
  const line = { order_line_no: 1, quantity: 1 };
  await apply(
    app,
    orderEvent(app, seller, 'order.cancelled', part.subject, { by: 'buyer', lines: [line] }),
    orderEvent(app, seller, 'order.cancelled', gone.subject, { by: 'buyer' }),
    orderEvent(app, seller, 'order.payment_captured', refunded.subject, {
      charge_id: 'ch_1',
      captured_minor: 4_000,
    }),
    orderEvent(app, seller, 'order.delivered', refunded.subject, { delivered_at: '2026-06-20T00:00:00Z' }),
    orderEvent(app, seller, 'refund.created', refunded.subject, {
      refund_id: 'rf-1',
      lines: [{ ...line, amount_minor: 1_500 }],
    }),
  );
  await night(app, seller);
  // 2,500 (two mugs and shipping), 2,500 (less the refund), three times 1,000.
  expect(await read(seller, 'cohorts')).toMatchObject({
    cohorts: [
      { month: '2026-06', buyers: 5, cells: [{ net_minor: 8_000 }, { buyers: 0, net_minor: 0 }, {}] },
    ],
    ...{ semantic_status: 'partial', missing_components: ['other_currencies'] },
  });
  await night(app, other);
  expect(await read(other, 'summary')).toMatchObject({ buyers: 1, new_buyers_90d: 1 });
});

test('a refund of units that are cancelled takes nothing from other lines, and lost units bring nothing', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const day = '2026-06-10';
  const placed = (buyer: string, ...prices: readonly number[]) =>
    placement(
      app,
      seller,
      prices.map((price) => ({ title: 'Mug', quantity: 2, price })),
      { placed_at: `${day}T02:00:00Z`, buyer: { customer_ref: `ref-${buyer}` } },
    );
  const refunded = placed('a', 1_000, 3_000);
  const sent = placed('b', 2_000);
  await inBatches([refunded, sent, ...['c', 'd', 'e'].map((buyer) => bought(seller, buyer, day, 1_000))]);
  const back = { refund_id: 'rf-2', lines: [{ order_line_no: 1, quantity: 2, amount_minor: 2_000 }] };
  const cancelled = { by: 'buyer', lines: [{ order_line_no: 1, quantity: 2 }] };
  await apply(
    app,
    orderEvent(app, seller, 'order.payment_captured', refunded.subject, {
      charge_id: 'ch_2',
      captured_minor: 8_000,
    }),
    orderEvent(app, seller, 'refund.created', refunded.subject, back),
    orderEvent(app, seller, 'order.cancelled', refunded.subject, cancelled),
  );
  await post(seller, `${sent.subject}/accept`);
  const { shipment_id } = await shipAll(seller, sent.subject);
  await apply(app, orderEvent(app, seller, 'shipment.tracking_updated', shipment_id, { status: 'lost' }));
  await night(app, seller);
  // 6,000 of the second line, nothing of the lost parcel, three times 1,000.
  expect(await read(seller, 'cohorts')).toMatchObject({
    cohorts: [{ month: '2026-06', buyers: 5, cells: [{ buyers: 5, net_minor: 9_000 }, {}, {}] }],
  });
});

test('the plan Small gets 402, and its nights compute nothing', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await inBatches([bought(seller, 'a', '2026-07-01')]);
  await night(app, seller);
  for (const name of NAMES)
    expect(await call(seller, name)).toMatchObject({
      status: 402,
      body: { feature_name: 'customer_analytics' },
    });
  const kept = await asOwner(app, 'select contract from insight_snapshot where seller_id = $1', [
    seller.seller_id,
  ]);
  expect(kept.filter(({ contract }: { contract?: string }) => contract?.startsWith('customer'))).toEqual([]);
});
