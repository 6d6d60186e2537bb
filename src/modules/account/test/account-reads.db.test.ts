/** The account's figures over HTTP, against the worked example of the money design, to the cent. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { GOLDEN_JOURNALS, postFor } from '../../../../test/support/golden-ledger.ts';
import { apply, orderEvent, placeOrder } from '../../../../test/support/orders.ts';
import { bookkeeper } from '../../../../test/support/settlements.ts';
import { sql } from '../../../../test/support/sql.ts';
import { minor } from '../../../kernel/money.ts';
import { statementLegs } from '../../ledger/domain/journal.ts';

const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-08-31T13:59:59.999Z',
  LOG_LEVEL: 'silent',
  // The test writes the ledger itself, and no worker may close its periods.
  ROLE: 'api',
});
let seller: TestSeller;
beforeAll(async () => {
  seller = await app.seller();
  await postFor(app, seller.seller_id, GOLDEN_JOURNALS);
});

interface Overview {
  readonly delivered_order_count: number;
  readonly delivered_sales_minor: number;
  readonly recorded_fees_minor: number;
  readonly adjustments_minor: number;
  readonly net_activity_minor: number;
  readonly pending_payout_minor: number;
  readonly completed_payout_minor: number;
  readonly pending_breakdown: Readonly<Record<string, number>>;
  readonly next_settlement: Readonly<Record<string, unknown>> | null;
  readonly negative_since: string | null;
  readonly missing_components: readonly string[];
  readonly source: Readonly<Record<string, unknown>>;
  readonly reconciliation: Readonly<Record<string, unknown>>;
  readonly as_of: string;
}
const read = <Body = Overview>(path: string, who = seller) => who.call<Body>('GET', `/financials${path}`);

const figuresOf = (body: Overview) => [
  body.delivered_order_count,
  body.delivered_sales_minor,
  body.recorded_fees_minor,
  body.adjustments_minor,
  body.pending_breakdown['in_hold_minor'],
  body.pending_breakdown['available_minor'],
  body.pending_breakdown['reserved_minor'],
  body.pending_breakdown['settled_unpaid_minor'],
  body.pending_breakdown['in_transit_minor'],
  body.pending_payout_minor,
  body.completed_payout_minor,
];

const AS_OF: readonly (readonly [day: string, figures: readonly number[]])[] = [
  ['2026-07-08', [7, 113_545, 16_591, -1_995, 70_389, 24_570, 0, 0, 0, 94_959, 0]],
  ['2026-07-15', [8, 118_090, 17_264, -1_995, 3_872, 0, 0, 94_959, 0, 98_831, 0]],
  ['2026-07-16', [8, 118_090, 17_264, -1_995, 3_872, 0, 0, 0, 94_959, 98_831, 0]],
  ['2026-07-17', [8, 118_090, 17_264, -1_995, 3_872, 0, 0, 94_959, 0, 98_831, 0]],
  ['2026-07-21', [9, 140_630, 12_926, -55_390, 19_293, -41_938, 0, 0, 0, -22_645, 94_959]],
  ['2026-07-31', [10, 218_626, 28_671, -78_480, 67_251, -50_735, 0, 0, 0, 16_516, 94_959]],
  ['2026-08-15', [10, 218_626, 24_761, -68_235, 0, 0, 0, 30_671, 0, 30_671, 94_959]],
  ['2026-08-31', [10, 218_626, 24_761, -68_235, 0, 0, 0, 0, 0, 0, 125_630]],
];

describe('the account at the end of a day', () => {
  test.each(AS_OF)('%s', async (day, figures) => {
    for (const path of [`/dashboard?as_of=${day}`, `/balances?as_of=${day}`]) {
      const { status, body, headers } = await read(path);
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(figuresOf(body), path).toEqual(figures);
      expect(body.net_activity_minor).toBe(body.pending_payout_minor + body.completed_payout_minor);
    }
  });

  test('an instant inside a day counts what had happened by then', async () => {
    const before = await read('/balances?as_of=2026-07-21T01:59:59.999Z');
    expect(before.body.delivered_order_count).toBe(8);
    expect(before.body.completed_payout_minor).toBe(0);
    const delivered = await read('/balances?as_of=2026-07-21T12:00:00%2B10:00');
    expect(delivered.body.delivered_order_count).toBe(9);
    expect(delivered.body.as_of).toBe('2026-07-21T02:00:00.000Z');
    expect((await read('/balances?as_of=2026-07-21T03:00:00Z')).body.completed_payout_minor).toBe(94_959);
  });

  test('without as_of the figures end now, with their source and a reconciliation that has not started', async () => {
    const { body } = await read('/dashboard');
    expect(figuresOf(body)).toEqual(AS_OF.at(-1)?.[1]);
    expect(body.source).toEqual({
      system: 'marketplace_ledger',
      contract: 'financials.overview.v1',
      ledger_position: expect.any(Number),
      as_of: '2026-08-31T13:59:59.999Z',
      timezone: 'Australia/Sydney',
    });
    expect(body.reconciliation).toMatchObject({
      status: 'not_started',
      expected_minor: null,
      unmatched_count: null,
    });
    expect(body.missing_components).toEqual([]);
    expect(body.next_settlement).toMatchObject({
      settlement_id: expect.stringMatching(/^stl_[0-9a-z]{26}$/),
    });
  });

  test('an instant in the first day, or in a day of debt, gives the figures that a read at that instant gave', async () => {
    const shop = await app.seller();
    const adjust = (amount_minor: number, time: string) =>
      app.events({
        specversion: '1.0',
        id: randomUUID(),
        source: '/test',
        type: 'marketplace.adjustment.recorded',
        subject: shop.seller_id,
        sellerid: shop.seller_id,
        time,
        data: {
          adjustment_id: randomUUID(),
          kind: 'manual_adjustment',
          amount_minor,
          reason_code: 'test',
          description: 'By hand',
          actor: 'test',
        },
      });
    await adjust(-500, '2026-08-20T02:00:00Z');
    await adjust(900, '2026-08-20T05:00:00Z');
    await adjust(-700, '2026-08-21T02:00:00Z');
    await adjust(800, '2026-08-23T05:00:00Z');
    const at = async (instant: string) => {
      const { body } = await read(`/dashboard?as_of=${instant}`, shop);
      return [
        body.pending_payout_minor,
        body.negative_since,
        body.next_settlement?.['estimated_payable_minor'] ?? null,
      ];
    };
    expect(await at('2026-08-20T01:59:59.999Z')).toEqual([0, null, null]);
    expect(await at('2026-08-20T02:00:00Z')).toEqual([-500, '2026-08-20', -500]);
    expect(await at('2026-08-20T05:00:00Z')).toEqual([400, null, 400]);
    expect(await at('2026-08-21T02:00:00Z')).toEqual([-300, '2026-08-21', -300]);
    // The account is above zero at the end of the day, but not at this instant.
    expect(await at('2026-08-23T04:59:59.999Z')).toEqual([-300, '2026-08-21', -300]);
    expect(await at('2026-08-23T05:00:00Z')).toEqual([500, null, 500]);
  });

  test('of the past counts the entries that had happened by then', async () => {
    const position = async (path: string) => Number((await read(path)).body.source['ledger_position']);
    const now = await position('/balances');
    const ledger = sql<{ entries: number }>('select count(*)::int as entries from ledger_entry');
    const held = await bookkeeper(app, seller.seller_id).inside((db) => db.one(ledger));
    expect(now).toBe(held?.entries);
    expect(await position('/balances?as_of=2026-06-01')).toBe(0);
    const june = await position('/balances?as_of=2026-06-30');
    const july = await position('/dashboard?as_of=2026-07-08');
    expect(june).toBeGreaterThan(0);
    expect(july).toBeGreaterThan(june);
    expect(now).toBeGreaterThan(july);
  });

  test('names the day from which the seller owes', async () => {
    expect((await read('/dashboard?as_of=2026-07-31')).body.negative_since).toBeNull();
    const owing = await read('/dashboard?as_of=2026-07-21');
    expect(owing.body.negative_since).toBe('2026-07-18');
  });

  test.each(['2026-09-01', 'yesterday', '2026-08-31T14:00:00Z', '2026-02-30'])(
    '%s is refused',
    async (as_of) => {
      const { status, body } = await read<{ detail: { loc: string[] }[] }>(`/balances?as_of=${as_of}`);
      expect([status, body.detail[0]?.loc]).toEqual([422, ['query', 'as_of']]);
    },
  );

  test('shows nothing of another seller', async () => {
    const other = await app.seller();
    const { body } = await read('/dashboard', other);
    expect(figuresOf(body)).toEqual(Array.from({ length: 11 }, () => 0));
    expect(body.next_settlement).toBeNull();
  });

  test('of another currency is separate', async () => {
    expect(figuresOf((await read('/balances?currency=NZD')).body)).toEqual(
      Array.from({ length: 11 }, () => 0),
    );
  });
});

test('a list has the currency of its rows, null if they have several, and the requested one without rows', async () => {
  const other = await app.seller();
  const envelope = async (query = '') => {
    const { body } = await read<Record<string, unknown>>(`/settlements${query}`, other);
    return [body['currency'], body['currency_exponent']];
  };
  const sell = (currency: string) =>
    postFor(app, other.seller_id, [
      {
        kind: 'order_delivered',
        key: currency,
        currency,
        occurred_at: '2026-07-20T00:00:00Z',
        actor: 'test',
        order_id: `ord_${currency}`,
        legs: statementLegs(minor(500), { type: 'sale', description: 'Sale X' }),
      },
    ]);
  expect(await envelope()).toEqual(['AUD', 2]);
  expect(await envelope('?currency=JPY')).toEqual(['JPY', 0]);
  await sell('JPY');
  expect(await envelope()).toEqual(['JPY', 0]);
  await sell('AUD');
  expect(await envelope()).toEqual([null, null]);
  expect(await envelope('?currency=AUD')).toEqual(['AUD', 2]);
});

interface Activity {
  readonly period_label: string;
  readonly delivered_sales_minor: number;
  readonly delivered_order_count: number;
  readonly recorded_fees_minor: number;
  readonly months: readonly Readonly<Record<string, unknown>>[];
  readonly locked: boolean;
  readonly late_recorded_count: number;
  readonly detail: readonly { readonly loc: readonly string[] }[];
}
const activity = async (quarter: string, who = seller) =>
  (await read<Activity>(`/taxes/bas-summary?quarter=${quarter}`, who)).body;

describe('the activity of a quarter', () => {
  test.each([
    ['FY2025-26-Q4', [6_990, 1, 882], true],
    ['FY2026-27-Q1', [211_636, 9, 23_879], false],
    ['FY2025-26-Q3', [0, 0, 0], true],
  ] as const)('%s', async (quarter, figures, locked) => {
    const body = await activity(quarter);
    expect([body.delivered_sales_minor, body.delivered_order_count, body.recorded_fees_minor]).toEqual(
      figures,
    );
    expect([body.period_label, body.locked]).toEqual([quarter, locked]);
  });

  test('the current one is the default, by month; a future month is not shown as zero', async () => {
    const { body } = await read<Activity>('/taxes/bas-summary');
    expect(body.period_label).toBe('FY2026-27-Q1');
    expect(body.months.map(Object.values)).toEqual([
      ['2026-07', 211_636, 9, 27_789],
      ['2026-08', 0, 0, -3_910],
    ]);
  });

  test.each(['2026-Q1', 'FY2026-28-Q1', 'FY2026-27-Q5', 'FY2026-27-Q2'])('%s is refused', async (quarter) => {
    const { status, body } = await read<Activity>(`/taxes/bas-summary?quarter=${quarter}`);
    expect([status, body.detail[0]?.loc]).toEqual([422, ['query', 'quarter']]);
  });

  test('a fact that is too late for a locked quarter counts in a later one, and the locked one counts it as late', async () => {
    const other = await app.seller();
    const sale = {
      kind: 'order_delivered' as const,
      key: 'late',
      currency: 'AUD',
      occurred_at: '2026-06-29T00:00:00Z',
      actor: 'test',
      order_id: 'ord_late',
      legs: statementLegs(minor(500), { type: 'sale', description: 'Sale X' }),
    };
    await postFor(app, other.seller_id, [sale], '2026-07-20T00:00:00Z');
    const locked = await activity('FY2025-26-Q4', other);
    expect([locked.delivered_sales_minor, locked.late_recorded_count]).toEqual([0, 1]);
    const later = await activity('FY2026-27-Q1', other);
    expect([later.delivered_sales_minor, later.late_recorded_count]).toEqual([500, 0]);
  });
});

describe('a provider’s fee that was not reported', () => {
  test('is missing from the figures that need it, and from no other', async () => {
    const other = await app.seller();
    const deliver = async (delivered_at: string, fee: object) => {
      const id = await placeOrder(app, other, [{ sku: 'X', title: 'X', price: 1_000 }]);
      const paid = { charge_id: `ch_${id}`, captured_minor: 1_000, ...fee };
      await apply(
        app,
        orderEvent(app, other, 'order.payment_captured', id, paid),
        orderEvent(app, other, 'order.delivered', id, { delivered_at }),
      );
    };
    const missing = async (path: string) =>
      (await read<{ missing_components: string[] }>(path, other)).body.missing_components;
    await deliver('2026-07-10T00:00:00Z', { provider_fee_minor: 20 });
    expect(await missing('/dashboard')).toEqual([]);
    await deliver('2026-08-10T00:00:00Z', {});
    const august = '/metrics?from=2026-08-01&to=2026-08-31';
    for (const path of ['/dashboard', august, '/taxes/bas-summary?quarter=FY2026-27-Q1'])
      expect(await missing(path), path).toEqual(['payment_processing']);
    const july = '/metrics?from=2026-07-01&to=2026-07-31';
    for (const path of ['/dashboard?as_of=2026-07-31', july, '/taxes/bas-summary?quarter=FY2025-26-Q4'])
      expect(await missing(path), path).toEqual([]);
  });
});

describe('the measures of a window', () => {
  test('are shown with those of the window before', async () => {
    const { body } = await read<Record<string, unknown>>('/metrics?from=2026-07-16&to=2026-07-31');
    expect(body).toMatchObject({
      window: { from: '2026-07-16', to: '2026-07-31' },
      previous_window: { from: '2026-06-30', to: '2026-07-15' },
      delivered_sales_minor: 100_536,
      delivered_order_count: 2,
      average_order_value_minor: 50_268,
      recorded_fees_minor: 11_407,
      effective_fee_rate_bps: 1_135,
      refunds_minor: -53_395,
      refund_rate_bps: 5_311,
      chargebacks_minor: -23_090,
      previous: { delivered_sales_minor: 118_090, delivered_order_count: 8, refunds_minor: -1_995 },
    });
  });

  test.each([
    ['from=2026-09-01', 'from'],
    ['from=2026-09-01&to=2026-09-30', 'from'],
    ['to=2026-09-30', 'to'],
  ])('refuse a future day: %s', async (query, field) => {
    const { status, body } = await read<Activity>(`/metrics?${query}`);
    expect([status, body.detail[0]?.loc]).toEqual([422, ['query', field]]);
  });

  test('have no rate without sales', async () => {
    const { body } = await read<Record<string, unknown>>('/metrics?from=2026-01-01&to=2026-01-31');
    expect(body).toMatchObject({
      delivered_sales_minor: 0,
      average_order_value_minor: null,
      effective_fee_rate_bps: null,
      refund_rate_bps: null,
    });
  });

  test.each(['from=2026-08-02&to=2026-08-01', 'from=2024-01-01&to=2026-01-01', 'from=soon'])(
    '%s is refused',
    async (query) => {
      expect((await read(`/metrics?${query}`)).status).toBe(422);
    },
  );
});
