/** The orders of the worked example, sent as events of the marketplace: the seller's amounts to the cent. */
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { apply, orderEvent, post } from '../../../../test/support/orders.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-29T00:00:00.000Z' });
const seller = await app.seller({ plan: 'Small' });
const others = [await app.seller(), await app.seller()];
const E = 1_250;

interface Sold {
  /** SKU, units, unit price, platform fee in bps. */
  readonly lines: readonly (readonly [sku: string, quantity: number, price: number, bps?: number])[];
  readonly shipping?: number;
  readonly discount?: number;
  readonly loyalty?: true;
  readonly delivered_at: string;
  readonly total: number;
  readonly fee: number;
}
const ORDERS: Readonly<Record<string, Sold>> = {
  ord_1001: {
    lines: [['TEA-250', 1, 5_995]],
    shipping: 995,
    delivered_at: '2026-06-30T13:59:59Z',
    total: 6_990,
    fee: 152,
  },
  ord_1002: {
    lines: [
      ['MUG-BLU', 3, 2_499],
      ['KETTLE-E', 1, 14_900, E],
    ],
    discount: 500,
    loyalty: true,
    delivered_at: '2026-06-30T14:30:00Z',
    total: 21_897,
    fee: 413,
  },
  ord_1003: {
    lines: [['CHAI-100', 1, 2_933]],
    shipping: 400,
    delivered_at: '2026-07-03T02:00:00Z',
    total: 3_333,
    fee: 0,
  },
  ord_1004: {
    lines: [['TIN-S', 3, 1_995]],
    shipping: 850,
    delivered_at: '2026-07-04T03:00:00Z',
    total: 6_835,
    fee: 150,
  },
  ord_1005: {
    lines: [['GRINDER-E', 1, 49_900, E]],
    shipping: 1_500,
    loyalty: true,
    delivered_at: '2026-07-05T01:00:00Z',
    total: 51_400,
    fee: 930,
  },
  ord_1006: {
    lines: [['POT-L', 2, 6_450]],
    shipping: 1_200,
    delivered_at: '2026-07-06T05:00:00Z',
    total: 14_100,
    fee: 277,
  },
  ord_1007: { lines: [['SET-6', 1, 8_990]], delivered_at: '2026-07-07T06:00:00Z', total: 8_990, fee: 187 },
  ord_1008: {
    lines: [['SPOON', 5, 777]],
    shipping: 660,
    loyalty: true,
    delivered_at: '2026-07-14T04:00:00Z',
    total: 4_545,
    fee: 110,
  },
  ord_1009: {
    lines: [['SCALE-E', 1, 21_540, E]],
    shipping: 1_000,
    delivered_at: '2026-07-21T02:00:00Z',
    total: 22_540,
    fee: 424,
  },
  ord_1010: {
    lines: [['SAMOVAR', 4, 18_999]],
    shipping: 2_000,
    loyalty: true,
    delivered_at: '2026-07-27T23:30:00Z',
    total: 77_996,
    fee: 1_395,
  },
};

const move = (now: string) => callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
const now = () => new Date(app.app.services.now()).toISOString();
const tell = (type: string, subject: string, data: object, of = seller) =>
  apply(app, orderEvent(app, of, type, subject, data));

const SHARED = [
  { order_id: 'ord_1003', gross_minor: 3_333 },
  { order_id: 'ord_x', gross_minor: 3_333 },
  { order_id: 'ord_y', gross_minor: 3_334 },
];
const shared = (captured_minor: number) => ({
  charge_id: 'ch_1003',
  captured_minor,
  charge_total_minor: 10_000,
  charge_provider_fee_minor: 205,
  share_of: SHARED,
});

const place = (id: string, sold: Pick<Sold, 'lines' | 'shipping' | 'discount' | 'loyalty'>, of = seller) =>
  tell(
    'order.placed',
    id,
    {
      order_number: id,
      currency: 'AUD',
      placed_at: now(),
      loyalty: sold.loyalty ?? false,
      seller_discount_minor: sold.discount ?? 0,
      lines: [
        ...sold.lines.map(([seller_sku, quantity, unit_price_minor, platform_fee_bps]) => ({
          kind: 'item',
          seller_sku,
          title: seller_sku,
          quantity,
          unit_price_minor,
          ...(platform_fee_bps === undefined ? {} : { platform_fee_bps }),
        })),
        ...(sold.shipping === undefined ? [] : [{ kind: 'shipping', unit_price_minor: sold.shipping }]),
      ],
    },
    of,
  );

async function sell(id: string): Promise<void> {
  const sold = ORDERS[id];
  if (sold === undefined) throw new Error(id);
  // Half an hour before it is delivered, so that no acceptance window passes.
  await move(new Date(Date.parse(sold.delivered_at) - 1_700_000).toISOString());
  await place(id, sold);
  const payment =
    id === 'ord_1003'
      ? shared(sold.total)
      : { charge_id: `ch_${id}`, captured_minor: sold.total, provider_fee_minor: sold.fee };
  await tell('order.payment_captured', id, payment);
  await move(sold.delivered_at);
  await tell('order.delivered', id, { delivered_at: sold.delivered_at });
}

const all = async <Row>(text: string): Promise<Row[]> =>
  app.app.services.withSystem('jobs', 'read', (db) => db.all<Row>({ text, values: [seller.seller_id] }));

interface Figures {
  readonly gross: number;
  readonly platform: number;
  readonly loyalty: number;
  readonly order_fee: number;
  readonly processing: number;
  readonly credits: number;
  readonly adjustments: number;
  readonly net: number;
}

async function story(): Promise<void> {
  for (const id of ['ord_1001', 'ord_1002']) await sell(id);
  await move('2026-07-02T00:00:00Z');
  await place('ord_1011', { lines: [['GIFT', 1, 4_000]] });
  await tell('order.payment_captured', 'ord_1011', {
    charge_id: 'ch_1011',
    captured_minor: 4_000,
    provider_fee_minor: 100,
  });
  const rejected = await post(await seller.renew(), 'ord_1011/reject', { reason: 'out_of_stock' });
  if (rejected.status !== 200) throw new Error(rejected.text);
  for (const [index, id] of ['ord_x', 'ord_y'].entries()) {
    const [of, price] = [others[index], SHARED[index + 1]?.gross_minor ?? 0];
    if (of === undefined) continue;
    await place(id, { lines: [['ANY', 1, price]] }, of);
    await tell('order.payment_captured', id, shared(price), of);
    const accepted = await post(await of.renew(), `${id}/accept`);
    if (accepted.status !== 200) throw new Error(accepted.text);
  }
  for (const id of ['ord_1003', 'ord_1004', 'ord_1005', 'ord_1006', 'ord_1007']) await sell(id);
  const line = (order_line_no: number, amount_minor: number) => ({
    order_line_no,
    quantity: 1,
    amount_minor,
  });
  const refund = async (day: string, order: string, refund_id: string, ...lines: object[]) => {
    await move(`${day}T02:00:00Z`);
    await tell('refund.created', order, { refund_id, lines });
    await tell('refund.confirmed', order, { refund_id });
  };
  await refund('2026-07-08', 'ord_1004', 'rf_1', line(1, 1_995));
  await sell('ord_1008');
  await refund('2026-07-18', 'ord_1005', 'rf_2', line(1, 49_900), line(2, 1_500));
  await refund('2026-07-20', 'ord_1004', 'rf_3', line(1, 1_995));
  await sell('ord_1009');
  const dispute = async (day: string, type: string, order: string, data: object) => {
    await move(`${day}T03:00:00Z`);
    await tell(`dispute.${type}`, order, data);
  };
  const dp = (dispute_id: string, amount_minor: number) => ({
    dispute_id,
    amount_minor,
    provider_fee_minor: 2_500,
  });
  await dispute('2026-07-22', 'opened', 'ord_1006', dp('dp_1', 14_100));
  await dispute('2026-07-24', 'opened', 'ord_1007', dp('dp_2', 8_990));
  await sell('ord_1010');
  const adjust = async (day: string, data: object) => {
    await move(`${day}T01:00:00Z`);
    await tell('adjustment.recorded', seller.seller_id, { reason_code: 'goodwill', actor: 'ops:7', ...data });
  };
  await adjust('2026-08-04', {
    adjustment_id: 'adj_1',
    kind: 'manual_adjustment',
    amount_minor: 1_200,
    order_id: 'ord_1009',
    description: 'Carrier damage goodwill',
  });
  await dispute('2026-08-05', 'lost', 'ord_1006', { dispute_id: 'dp_1', returned_fee_minor: 0 });
  const [july] = await all<{ settlement_id: string }>(
    "select settlement_id from settlement where seller_id = $1 and period_start = '2026-07-01'",
  );
  await adjust('2026-08-06', {
    adjustment_id: 'adj_2',
    kind: 'settlement_correction',
    corrects_settlement_id: july?.settlement_id,
    amount_minor: 55,
    order_id: 'ord_1003',
    description: 'Correction to stl_202607A',
  });
  await dispute('2026-08-10', 'won', 'ord_1007', { dispute_id: 'dp_2', returned_fee_minor: 2_500 });
}

describe('the worked example', () => {
  beforeAll(story);

  test('every order has the amounts of the example', async () => {
    const rows = await all<Figures & { order_id: string }>(
      'select order_id, ' +
        "sum(-amount_minor) filter (where bucket = 'gross') as gross, " +
        "coalesce(sum(amount_minor) filter (where type = 'platform_fee'), 0) as platform, " +
        "coalesce(sum(amount_minor) filter (where type = 'loyalty_program_fund'), 0) as loyalty, " +
        "sum(amount_minor) filter (where type = 'seller_order_fee') as order_fee, " +
        "sum(amount_minor) filter (where type in ('payment_processing', 'dispute_fee')) as processing, " +
        "coalesce(sum(-amount_minor) filter (where type like '%credit'), 0) as credits, " +
        "coalesce(sum(-amount_minor) filter (where bucket = 'adjustments'), 0) as adjustments, " +
        'sum(-amount_minor) as net from ledger_entry where seller_id = $1 and bucket is not null ' +
        'group by order_id order by order_id',
    );
    const table = rows.map(({ order_id, ...figures }) => [order_id, ...Object.values(figures).map(Number)]);
    expect(table).toEqual([
      ['ord_1001', 6990, 700, 0, 30, 152, 0, 0, 6108],
      ['ord_1002', 21897, 2554, 438, 30, 413, 0, 0, 18462],
      ['ord_1003', 3333, 333, 0, 30, 68, 0, 55, 2957],
      ['ord_1004', 6835, 684, 0, 30, 150, 399, -3990, 2380],
      ['ord_1005', 51400, 6388, 998, 30, 930, 7386, -51400, -960],
      ['ord_1006', 14100, 1410, 0, 30, 2777, 1410, -14100, -2807],
      ['ord_1007', 8990, 899, 0, 30, 2687, 2500, 0, 7874],
      ['ord_1008', 4545, 455, 78, 30, 110, 0, 0, 3872],
      ['ord_1009', 22540, 2793, 0, 30, 424, 0, 1200, 20493],
      ['ord_1010', 77996, 7800, 1520, 30, 1395, 0, 0, 67251],
    ]);
  });

  test('each counts on its Sydney day and is available after the hold', async () => {
    const rows = await all<Record<string, unknown>>(
      'select distinct order_id, posted_on::text as posted_on, available_on::text as available_on, late ' +
        "from ledger_entry where seller_id = $1 and type = 'sale' order by order_id",
    );
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['ord_1001', '2026-06-30', '2026-07-07', false],
      ['ord_1002', '2026-07-01', '2026-07-08', false],
      ['ord_1003', '2026-07-03', '2026-07-10', false],
      ['ord_1004', '2026-07-04', '2026-07-11', false],
      ['ord_1005', '2026-07-05', '2026-07-12', false],
      ['ord_1006', '2026-07-06', '2026-07-13', false],
      ['ord_1007', '2026-07-07', '2026-07-14', false],
      ['ord_1008', '2026-07-14', '2026-07-21', false],
      ['ord_1009', '2026-07-21', '2026-07-28', false],
      ['ord_1010', '2026-07-28', '2026-08-04', false],
    ]);
  });

  test('partial refunds are credited to date, and not before the sale is available', async () => {
    const rows = await all<Record<string, unknown>>(
      'select related_id, type, -amount_minor as amount, posted_on::text as posted_on, available_on::text as available_on, ' +
        "description from ledger_entry where seller_id = $1 and order_id = 'ord_1004' and related_id is not null order by position",
    );
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['rf_1', 'refund', -1995n, '2026-07-08', '2026-07-11', 'Refund rf_1'],
      ['rf_1', 'platform_fee_credit', 200n, '2026-07-08', '2026-07-11', 'Platform fee credit'],
      ['rf_3', 'refund', -1995n, '2026-07-20', '2026-07-20', 'Refund rf_3'],
      ['rf_3', 'platform_fee_credit', 199n, '2026-07-20', '2026-07-20', 'Platform fee credit'],
    ]);
  });

  test('lines have the order and the texts of the statement', async () => {
    const rows = await all<Record<string, unknown>>(
      'select type, quantity, rate_bps, description, -amount_minor as amount from ledger_entry ' +
        "where seller_id = $1 and order_id in ('ord_1010', 'ord_1007') and bucket is not null and posted_on > '2026-07-27' " +
        'order by position',
    );
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['sale', 4, null, 'Sale SAMOVAR', 75996n],
      ['sale', 1, null, 'Sale shipping', 2000n],
      ['platform_fee', null, 1000, 'Platform fee 10.00%', -7600n],
      ['platform_fee', null, 1000, 'Platform fee 10.00%', -200n],
      ['loyalty_program_fund', null, 200, 'Loyalty program fund', -1520n],
      ['seller_order_fee', null, null, 'Seller order fee', -30n],
      ['payment_processing', null, null, 'Payment processing', -1395n],
      ['chargeback_reversal', null, null, 'Chargeback won dp_2', 8990n],
      ['dispute_fee_credit', null, null, 'Dispute fee returned dp_2', 2500n],
    ]);
  });

  test('the balances of all three sellers are right before anything is paid out', async () => {
    const rows = await app.app.services.withSystem('jobs', 'read', (db) =>
      db.all<{ account: string; balance: bigint }>({
        text:
          "select case when account in ('seller_payable', 'seller_settled') then 'seller' else account end as account, " +
          '-sum(amount_minor)::bigint as balance from ledger_entry group by 1 having sum(amount_minor) <> 0 order by 1',
        values: [],
      }),
    );
    expect(Object.fromEntries(rows.map(({ account, balance }) => [account, Number(balance)]))).toEqual({
      loyalty_fund: 2036,
      manual_adjustments: -1255,
      order_escrow: 6667,
      platform_fee_income: 15819,
      processing_cost: -237,
      // 233.30 and the amount that is not paid out yet.
      provider_clearing: -23330 - 125630,
      seller: 125630,
      seller_order_fee_income: 300,
    });
  });
});
