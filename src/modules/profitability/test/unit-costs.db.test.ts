/** Costs that sellers enter, and the margins that follow. Source: docs/design/money.md#costs. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import {
  apply,
  type Line,
  orderEvent,
  placeOrder,
  post,
  readOrder,
  shipAll,
  stocked,
} from '../../../../test/support/orders.ts';
import { create } from '../../../../test/support/products.ts';
import { moneyObjects } from '../../../../test/support/settlements.ts';
import { joinTeam } from '../../../../test/support/team.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { isSellerAccess } from '../../../kernel/route.ts';
import { routePath } from '../../../kernel/route-path.ts';
import { MODULES } from '../../../modules.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });

interface Sums {
  readonly supplier_cost_minor: number | null;
  readonly margin_minor: number | null;
  readonly margin_bps: number | null;
}
interface Row extends Sums {
  readonly order_id: string;
  readonly sku: string | null;
  readonly net_payout_minor: number;
  readonly components: readonly { component: string; status: string; amount_minor: number | null }[];
  readonly lines: readonly (Sums & { readonly sku: string | null })[];
}
interface Entry {
  readonly cost_id: string;
  readonly amount_micros: number | null;
  readonly effective_from: string;
  readonly in_force: boolean;
  readonly seller_sku: string | null;
}

const say = (
  seller: Pick<TestSeller, 'call'>,
  path: string,
  amount_minor: number | null,
  from = '2026-07-01',
  headers = {},
) =>
  seller.call<Entry & { detail: { type: string; loc: string[] }[] }>('PUT', `/profitability/${path}`, {
    json: { amount_minor, effective_from: from },
    headers,
  });
const freight = (seller: TestSeller, amount: number | null, from?: string) =>
  say(seller, 'order-costs', amount, from);

async function sold(seller: TestSeller, lines: readonly Line[], fee = 0, placed_at = '2026-07-18T00:00:00Z') {
  const id = await placeOrder(app, seller, lines, { placed_at });
  const captured_minor = lines.reduce((sum, { price = 0, quantity = 1 }) => sum + price * quantity, 0);
  await apply(
    app,
    orderEvent(app, seller, 'order.payment_captured', id, {
      charge_id: `ch_${id}`,
      captured_minor,
      provider_fee_minor: fee,
    }),
    orderEvent(app, seller, 'order.delivered', id, { delivered_at: '2026-07-19T00:00:00Z' }),
  );
  return id;
}

async function sendBack(seller: TestSeller, id: string, restock: boolean): Promise<void> {
  const lines = [{ order_line_no: 1, quantity: 1, reason: 'damaged' }];
  await apply(app, orderEvent(app, seller, 'return.requested', id, { return_id: 'rtn_1', lines }));
  for (const [step, json] of [
    ['accept', {}],
    ['receive', {}],
    ['inspect', { compliant: true, restock }],
  ] as const)
    await post(seller, `${id}/returns/rtn_1/${step}`, json);
}

async function rowOf(seller: TestSeller, id: string): Promise<Row> {
  const { body } = await seller.call<{ data: Row[] }>('GET', `/profitability/components?order_id=${id}`);
  const [row] = body.data;
  if (row === undefined) throw new Error(`no row of ${id}`);
  return row;
}
const skusOf = async (seller: TestSeller) =>
  (await seller.call<{ data: Row[] }>('GET', '/profitability/skus?from=2026-07-01')).body.data;
const statusesOf = ({ components }: Row) =>
  Object.fromEntries(components.map(({ component, status }) => [component, status]));
const marginOf = ({ supplier_cost_minor, margin_minor, margin_bps }: Sums) => [
  supplier_cost_minor,
  margin_minor,
  margin_bps,
];

/** A seller with a product and the cost of its units; freight costs nothing. */
async function shop(cost: number | null, plan: 'Free' | 'Small' = 'Free') {
  const seller = await app.seller({ plan });
  const { sku, product_id } = await stocked(seller, 100, { price_minor: 2_499 });
  if (cost !== null) await say(seller, `unit-costs/${product_id}`, cost);
  await freight(seller, 0);
  return { seller, sku, product_id };
}

test('the margin of a SKU with a return is that of the golden figures', async () => {
  const { seller, sku } = await shop(1_100);
  const first = await sold(seller, [{ sku, quantity: 2, price: 2_499 }], 85);
  await sold(seller, [{ sku, quantity: 2, price: 2_499 }], 86);
  const refund = { refund_id: 'rf_1', lines: [{ order_line_no: 1, quantity: 1, amount_minor: 2_499 }] };
  await apply(app, orderEvent(app, seller, 'refund.created', first, { ...refund, reason: 'damaged' }));
  await sendBack(seller, first, true);
  const [row] = await skusOf(seller);
  expect(row).toMatchObject({ net_payout_minor: 6_516, basis: 'latest_cost' });
  expect(marginOf(row as Row)).toEqual([3_300, 3_216, 4_290]);
  expect(statusesOf(row as Row)).toMatchObject({
    supplier_cost: 'seller_supplied',
    external_freight: 'seller_supplied',
  });
});

test('a returned unit that is not restocked is a cost', async () => {
  const { seller, sku } = await shop(1_100);
  const id = await sold(seller, [{ sku, quantity: 2, price: 2_499 }]);
  await sendBack(seller, id, false);
  expect((await rowOf(seller, id)).supplier_cost_minor).toBe(2_200);
  const restocked = await sold(seller, [{ sku, price: 2_499 }]);
  await sendBack(seller, restocked, true);
  const row = await rowOf(seller, restocked);
  expect([row.supplier_cost_minor, statusesOf(row)['supplier_cost']]).toEqual([0, 'known']);
});

test('a cost counts for orders placed from its day on; the entry that came later wins, null makes it unknown', async () => {
  const { seller, sku, product_id } = await shop(null);
  const enter = (amount: number | null, from: string) =>
    say(seller, `unit-costs/${product_id}`, amount, from);
  await enter(900, '2026-07-10');
  const line = { sku, price: 2_499 };
  // 13:59 UTC is still the ninth in Sydney, 14:00 is the tenth.
  const before = await sold(seller, [line], 0, '2026-07-09T13:59:59Z');
  const after = await sold(seller, [line], 0, '2026-07-09T14:00:00Z');
  const costs = async () => [
    (await rowOf(seller, before)).supplier_cost_minor,
    (await rowOf(seller, after)).supplier_cost_minor,
  ];
  expect(await costs()).toEqual([null, 900]);
  expect(statusesOf(await rowOf(seller, before))['supplier_cost']).toBe('missing');
  await enter(800, '2026-07-10');
  expect(await costs()).toEqual([null, 800]);
  await enter(700, '2026-07-11');
  expect(await costs()).toEqual([null, 800]);
  await enter(null, '2026-07-10');
  expect(await costs()).toEqual([null, null]);
  await enter(0, '2026-07-09');
  expect(await costs()).toEqual([0, null]);
  const free = await rowOf(seller, before);
  expect([statusesOf(free)['supplier_cost'], free.margin_minor]).toEqual([
    'seller_supplied',
    free.net_payout_minor,
  ]);
});

test('one unit without cost leaves the margin unknown, and the coverage names its SKU', async () => {
  const { seller, sku } = await shop(1_000);
  const other = await create(seller, { seller_sku: 'NO-COST' });
  const id = await sold(seller, [
    { sku, quantity: 3, price: 2_499 },
    { sku: String(other['seller_sku']), price: 500 },
    { kind: 'shipping', price: 800 },
  ]);
  const row = await rowOf(seller, id);
  expect(marginOf(row)).toEqual([null, null, null]);
  expect(row.components.find(({ component }) => component === 'supplier_cost')).toEqual({
    component: 'supplier_cost',
    status: 'partial',
    amount_minor: -3_000,
  });
  expect(
    row.lines.map(({ supplier_cost_minor, margin_minor }) => [supplier_cost_minor, margin_minor === null]),
  ).toEqual([
    [3_000, false],
    [null, true],
    [0, false],
  ]);
  const { body } = await seller.call('GET', '/profitability/coverage?from=2026-07-01');
  expect(body).toMatchObject({
    source_contract: 'profitability.coverage.v1',
    cache_status: 'live',
    semantic_status: 'partial',
    missing_components: ['supplier_cost'],
    facts_through_on: '2026-07-19',
    gross_minor: 8_797,
    covered_gross_minor: 8_297,
    covered_bps: 9_432,
    uncovered: [{ seller_sku: 'NO-COST', gross_minor: 500, reason: 'supplier_cost' }],
  });
  await freight(seller, null);
  const none = await seller.call<{ uncovered: { seller_sku: string | null; reason: string }[] }>(
    'GET',
    '/profitability/coverage?from=2026-07-01',
  );
  expect(none.body).toMatchObject({ covered_gross_minor: 0, covered_bps: 0 });
  expect(none.body.uncovered.map(({ seller_sku, reason }) => [seller_sku, reason])).toEqual([
    [sku, 'external_freight'],
    [null, 'external_freight'],
    ['NO-COST', 'supplier_cost'],
  ]);
});

test('freight counts once an order and is shared over its lines, and SKUs sum to the orders', async () => {
  const { seller, sku } = await shop(1_000);
  const second = await stocked(seller, 10);
  await say(seller, `unit-costs/${second.product_id}`, 333);
  await freight(seller, 1_000);
  const id = await sold(seller, [
    { sku, quantity: 2, price: 1_000 },
    { sku: second.sku, price: 1_000 },
  ]);
  const row = await rowOf(seller, id);
  expect(row.components).toContainEqual({
    component: 'external_freight',
    status: 'seller_supplied',
    amount_minor: -1_000,
  });
  expect(row.margin_minor).toBe(row.net_payout_minor - 2_000 - 333 - 1_000);
  const sum = (rows: readonly Sums[]) => rows.reduce((all, { margin_minor }) => all + (margin_minor ?? 0), 0);
  expect([sum(row.lines), sum(await skusOf(seller))]).toEqual([row.margin_minor, row.margin_minor]);
});

test('a lost parcel is a cost of its order', async () => {
  const { seller, sku } = await shop(1_100);
  const id = await placeOrder(app, seller, [{ sku, quantity: 2, price: 2_499 }]);
  const { lines } = (await post(seller, `${id}/accept`)).body;
  const order_line_id = lines[0]?.order_line_id;
  const parcel = () => shipAll(seller, id, { lines: [{ order_line_id, quantity: 1 }] });
  const [lost, arrived] = [await parcel(), await parcel()];
  await apply(
    app,
    orderEvent(app, seller, 'shipment.tracking_updated', lost.shipment_id, { status: 'lost' }),
    orderEvent(app, seller, 'shipment.delivered', arrived.shipment_id, {}),
    orderEvent(app, seller, 'order.payment_captured', id, {
      charge_id: `ch_${id}`,
      captured_minor: 4_998,
      provider_fee_minor: 0,
    }),
  );
  expect((await readOrder(seller, id)).lines[0]?.quantities).toMatchObject({ delivered: 1, lost: 1 });
  expect((await rowOf(seller, id)).supplier_cost_minor).toBe(2_200);
});

test('entries are listed with the one in force on a day', async () => {
  const { seller, sku, product_id } = await shop(900);
  const stranger = await app.seller();
  await say(seller, `unit-costs/${product_id}`, 950, '2026-07-15');
  const list = async (query: string, who = seller) =>
    (await who.call<{ data: Entry[] }>('GET', `/profitability/unit-costs?${query}`)).body.data;
  const shown = (rows: readonly Entry[]) =>
    rows.map(({ amount_micros, effective_from, in_force }) => [amount_micros, effective_from, in_force]);
  const of = `product_id=${product_id}`;
  expect(shown(await list(of))).toEqual([
    [9_500_000, '2026-07-15', true],
    [9_000_000, '2026-07-01', false],
  ]);
  expect(shown(await list(`${of}&as_of=2026-07-14`)).map(([, , force]) => force)).toEqual([false, true]);
  expect(await list(`sku=${sku}&component=supplier_cost`)).toHaveLength(2);
  expect(shown(await list('component=external_freight'))).toEqual([[0, '2026-07-01', true]]);
  const first = await seller.call<{ data: Entry[]; page: { next_cursor: string } }>(
    'GET',
    '/profitability/unit-costs?limit=2',
  );
  expect(await list(`limit=2&cursor=${first.body.page.next_cursor}`)).toHaveLength(1);
  expect(await list('', stranger)).toEqual([]);
  expect((await seller.call('GET', '/profitability/unit-costs?as_of=July')).status).toBe(422);
});

test('an entry is refused for another seller’s product, and for a day that is too early or too late', async () => {
  const { seller, product_id } = await shop(900);
  const stranger = await app.seller();
  expect((await say(stranger, `unit-costs/${product_id}`, 1)).status).toBe(404);
  const types = async (from: string) => {
    const { status, body } = await say(seller, `unit-costs/${product_id}`, 1, from);
    return [status, body.detail.map(({ type, loc }) => [type, loc.join('.')])];
  };
  expect(await types('2026-07-21')).toEqual([422, [['date_in_future', 'body.effective_from']]]);
  expect(await types('2024-06-19')).toEqual([422, [['date_too_old', 'body.effective_from']]]);
  expect((await say(seller, `unit-costs/${product_id}`, 1, '2024-06-20')).status).toBe(201);
  const tag = (await say(seller, `unit-costs/${product_id}`, 2)).headers.get('etag') ?? '';
  const matching = () => say(seller, `unit-costs/${product_id}`, 3, undefined, { 'if-match': tag });
  expect([(await matching()).status, (await matching()).status]).toEqual([201, 412]);
});

test('two requests that enter costs of the same products in other orders both succeed', async () => {
  const seller = await app.seller();
  const products = [await stocked(seller, 1), await stocked(seller, 1)];
  const items = products.map(({ sku }) => ({
    seller_sku: sku,
    amount_minor: 100,
    effective_from: '2026-07-01',
  }));
  const send = (given: readonly object[]) =>
    seller.call<{ counts: object }>('POST', '/profitability/unit-costs/bulk', { json: { items: given } });
  let both: ReturnType<typeof send>[] = [];
  // A transaction that holds the locks of both products lets both requests begin.
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    for (const { product_id } of products)
      await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `unit_cost/${seller.seller_id}/${product_id}`,
      ]);
    both = [send(items), send(items.toReversed())];
    await eventually(
      () =>
        client.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        ),
      ({ rowCount }) => (rowCount ?? 0) > 1,
    );
    await client.query('commit');
  });
  for (const { status, body } of await Promise.all(both))
    expect([status, body.counts]).toEqual([200, { items: 2, created: 2, failed: 0 }]);
});

test('costs in bulk have a result each', async () => {
  const { seller, sku, product_id } = await shop(null);
  const item = (seller_sku: string, effective_from = '2026-07-01') => ({
    seller_sku,
    amount_minor: 450,
    effective_from,
  });
  const { status, body } = await seller.call('POST', '/profitability/unit-costs/bulk', {
    json: { items: [item('UNKNOWN'), item(sku), item(sku, '2027-01-01')] },
  });
  expect([status, body]).toMatchObject([
    200,
    {
      counts: { items: 3, created: 1, failed: 2 },
      results: [
        { index: 0, status: 404, outcome: 'failed', unit_cost: null, error: { code: 'not_found' } },
        { index: 1, status: 201, outcome: 'created', unit_cost: { product_id, amount_micros: 4_500_000 } },
        {
          index: 2,
          status: 422,
          error: { detail: [{ type: 'date_in_future', loc: ['body', 'items', 2, 'effective_from'] }] },
        },
      ],
    },
  ]);
});

test('without the rights for money there are no costs', async () => {
  const { seller, product_id } = await shop(900, 'Small');
  const packer = await joinTeam(app, seller, ['fulfilment']);
  expect((await packer.call('GET', '/profitability/unit-costs')).status).toBe(403);
  expect((await say(packer, `unit-costs/${product_id}`, 1)).status).toBe(403);
});

/** Every read of money but those of this module, and every file. */
const MONEY_READS = MODULES.filter(({ name }) => name !== 'profitability').flatMap((module) =>
  module.routes.flatMap((route) => {
    const { method, access } = route;
    const isMoney =
      isSellerAccess(access) && (access.permission === 'finance:read' || access.rate === 'export');
    return method === 'GET' && isMoney ? [routePath(module, route).slice('/api/v1'.length)] : [];
  }),
);

test('no settlement, invoice, entry, activity or export has a byte of the costs', async () => {
  const { seller, sku, product_id } = await shop(null);
  const ids: Record<string, string> = await moneyObjects(app, seller);
  ids['order_id'] = await sold(seller, [{ sku, quantity: 2, price: 2_499 }], 85);
  const read = async () => {
    const answers: string[] = [];
    for (const path of MONEY_READS) {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none');
      const { status, text } = await seller.call('GET', filled);
      answers.push(`${status} ${path}: ${text.replaceAll(/"request_id":"[^"]*"/g, '')}`);
    }
    return answers;
  };
  const before = await read();
  expect(before.filter((answer) => answer.startsWith('200')).length).toBeGreaterThan(25);
  expect(before.join()).toContain('4998');
  await say(seller, `unit-costs/${product_id}`, 77_777);
  await freight(seller, 66_666);
  expect((await skusOf(seller)).find((row) => row.sku === sku)?.supplier_cost_minor).toBe(155_554);
  expect(await read()).toEqual(before);
});
