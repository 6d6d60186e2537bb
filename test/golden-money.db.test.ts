/**
 * The golden example through the public and internal interfaces, on the manual clock: every table of the design's
 * "Money" 4.2 and 4.3 to the cent. The example is one case of the rules, not their definition.
 */
import { expect, test } from 'vitest';
import { readFindings } from '../src/modules/financials/index.ts';
import { begin, moveTo, ORDERS, tellUntil } from './golden/story.ts';
import {
  ACTIVITY_CSV,
  AS_OF,
  BALANCES,
  BY_STATUS,
  BY_TYPE,
  CARRIED_FORWARD,
  DAYS,
  INVOICES,
  LINES,
  ORDER_FIGURES,
  PAYOUTS,
  QUARTERS,
  SETTLEMENT_CSV,
  SETTLEMENTS,
} from './golden/tables.ts';
import { startTestApp } from './support/app.ts';
import { callInternal } from './support/internal.ts';

/** Enough for the jobs of two months of nights on a busy machine. */
const LONG_MS = 300_000;

type Json = Readonly<Record<string, unknown>>;
interface Listed<T> {
  readonly data: readonly T[];
  readonly page: { readonly has_more: boolean };
}

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-25T00:00:00.000Z' });
const story = await begin(app);

/** The end of a Sydney day, and the close of the period that may end on it: half past two of the next. */
const closeOf = (day: string): string => new Date(Date.parse(`${day}T16:15:00Z`)).toISOString();
const CLOSES = new Set(['2026-07-15', '2026-07-31', '2026-08-15']);
const endOf = (day: string): string => (CLOSES.has(day) ? closeOf(day) : `${day}T13:59:59.000Z`);

/** The overview as read at the end of each day of the table. */
const overviews = new Map<string, Json>();
let sent = 0;
for (const { day } of AS_OF) {
  sent = await tellUntil(story, endOf(String(day)), sent);
  const { body } = await story.seller.call<Json>('GET', '/financials/dashboard');
  overviews.set(String(day), body);
}

const get = async <T>(path: string): Promise<T> => {
  const { status, body, text } = await story.seller.call<T>('GET', path);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return body;
};
const list = async <T>(path: string): Promise<readonly T[]> => {
  const { data, page } = await get<Listed<T>>(`${path}${path.includes('?') ? '&' : '?'}limit=200`);
  expect(page.has_more).toBe(false);
  return data;
};
const picked = (row: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

interface SettlementRow extends Json {
  readonly settlement_id: string;
  readonly period_start: string;
  readonly period_end: string;
}
/** The closed settlements by their golden names. */
const settlements = async (): Promise<Map<string, SettlementRow>> => {
  const rows = await list<SettlementRow>('/financials/settlements');
  return new Map(
    SETTLEMENTS.map(({ name, period }) => {
      const row = rows.find((one) => `${one.period_start}..${one.period_end}` === period);
      if (row === undefined) throw new Error(`no settlement of ${period}`);
      return [String(name), row];
    }),
  );
};
const settlementId = async (name: string): Promise<string> =>
  (await settlements()).get(name)?.settlement_id ?? '';

interface FeeLine extends Json {
  readonly type: string;
  readonly bucket: string;
  readonly order_line_id: string | null;
  readonly amount_minor: number;
}

test.each(ORDER_FIGURES)('order $order_id', async (expected) => {
  const { transaction: row } = await get<{ transaction: Json }>(`/fees/orders/${expected.order_id}`);
  expect({
    order_id: row['order_id'],
    gross: row['gross_order_amount_minor'],
    platform_fee: (row['fee_components'] as Json)['platform_fee_minor'],
    loyalty: (row['fee_components'] as Json)['loyalty_program_fund_minor'],
    order_fee: (row['fee_components'] as Json)['seller_order_fee_minor'],
    processing: (row['fee_components'] as Json)['payment_processing_minor'],
    credits: (row['fee_components'] as Json)['fee_credits_minor'],
    fees: row['marketplace_fees_minor'],
    adjustments: row['adjustments_minor'],
    net: row['net_payout_minor'],
  }).toEqual(expected);
});

test.each(ORDERS.filter(({ delivered }) => delivered !== null))('the days of order $id', async ({ id }) => {
  const { transaction: row } = await get<{ transaction: Json }>(`/fees/orders/${id}`);
  expect([id, row['posted_on'], row['available_on']]).toEqual(DAYS.find(([order]) => order === id));
});

test('orders together', async () => {
  const total = (name: keyof (typeof ORDER_FIGURES)[number]) =>
    ORDER_FIGURES.reduce((sum, row) => sum + Number(row[name]), 0);
  expect(['gross', 'fees', 'adjustments', 'net'].map((name) => total(name as 'gross'))).toEqual([
    218_626, 24_761, -68_235, 125_630,
  ]);
  const rejected = ORDERS.find(({ delivered }) => delivered === null)?.id;
  const rows = await list<{ order_id: string }>('/fees/transactions');
  expect(rows.map(({ order_id }) => order_id).sort()).toEqual(
    ORDER_FIGURES.map(({ order_id }) => String(order_id)),
  );
  expect(rows.map(({ order_id }) => order_id)).not.toContain(rejected);
});

test.each(LINES)('lines of $order_id', async ({ order_id, lines }) => {
  const { transaction } = await get<{ transaction: { lines: readonly FeeLine[] } }>(
    `/fees/orders/${order_id}`,
  );
  const { lines: posted } = transaction;
  const order = await get<{ lines: readonly { order_line_id: string }[] }>(`/orders/${order_id}`);
  const sum = (line: string, type: string, sign: number): number =>
    posted
      .filter((one) => one.order_line_id === line && one.type === type)
      .reduce((all, { amount_minor }) => all + sign * amount_minor, 0);
  expect(
    order.lines.map(({ order_line_id: id }) => [
      sum(id, 'sale', 1),
      sum(id, 'platform_fee', -1),
      sum(id, 'loyalty_program_fund', -1),
    ]),
  ).toEqual(lines);
});

test('settlements', async () => {
  for (const { name, period: _period, ...expected } of SETTLEMENTS) {
    const row = (await settlements()).get(String(name)) ?? {};
    expect({ name, ...picked(row, Object.keys(expected)) }).toEqual({ name, ...expected });
  }
});

test('the carried-forward settlement in all its figures', async () => {
  const row = await get<Json>(`/financials/settlements/${await settlementId('stl_202607B')}`);
  expect(row).toMatchObject(CARRIED_FORWARD);
  expect(row['invoice_ids']).toHaveLength(2);
});

test('settlements by type', async () => {
  const found: Json[] = [];
  for (const [settlement, { settlement_id }] of await settlements()) {
    const sums = new Map<string, { group: string; type: string; count: number; amount: number }>();
    for (const { type, bucket, amount_minor } of await list<FeeLine>(
      `/financials/settlements/${settlement_id}/entries`,
    )) {
      const sum = sums.get(type) ?? { group: bucket, type, count: 0, amount: 0 };
      sums.set(type, { ...sum, count: sum.count + 1, amount: sum.amount + amount_minor });
    }
    found.push(...[...sums.values()].map((sum) => ({ settlement, ...sum })));
  }
  const byType = (a: Json, b: Json) =>
    `${a['settlement']} ${a['type']}` < `${b['settlement']} ${b['type']}` ? -1 : 1;
  expect(found.sort(byType)).toEqual([...BY_TYPE].sort(byType));
});

test('invoices and adjustment notes', async () => {
  interface Invoice extends Json {
    readonly settlement_id: string;
    readonly lines: readonly { readonly type: string; readonly amount_minor: number }[];
  }
  const names = new Map([...(await settlements())].map(([name, { settlement_id }]) => [settlement_id, name]));
  const rows = await list<{ invoice_id: string }>('/financials/invoices');
  const invoices = await Promise.all(
    rows.map(({ invoice_id }) => get<Invoice>(`/financials/invoices/${invoice_id}`)),
  );
  const [first] = INVOICES;
  const components = Object.keys(first ?? {}).slice(3);
  const found = invoices.map(({ settlement_id, kind, total_minor, lines }) => ({
    settlement: names.get(settlement_id),
    kind,
    total: total_minor,
    ...Object.fromEntries(
      components.map((name) => [
        name,
        lines.filter(({ type }) => type === name).reduce((sum, one) => sum + one.amount_minor, 0),
      ]),
    ),
  }));
  const inOrder = (a: Json, b: Json) =>
    `${a['settlement']} ${a['total']}` < `${b['settlement']} ${b['total']}` ? -1 : 1;
  expect(found.sort(inOrder)).toEqual([...INVOICES].sort(inOrder));
});

const COMPOSED = [
  'opening_balance_minor',
  'gross_amount_minor',
  'fees_minor',
  'adjustments_minor',
  'reserve_change_minor',
  'closing_balance_minor',
];
test('payouts: each attempt with its result and its parts', async () => {
  const names = new Map([...(await settlements())].map(([name, { settlement_id }]) => [settlement_id, name]));
  const rows = await list<Json>('/payments/payouts');
  const found = rows.map((row) => ({
    ...picked(row, ['provider_payout_id', 'attempt', 'amount_minor', 'status']),
    settlement: names.get(String(row['settlement_id'])),
  }));
  expect(found.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual(PAYOUTS);
  for (const row of rows) {
    const settlement = SETTLEMENTS.find(({ name }) => name === names.get(String(row['settlement_id'])));
    const composition = row['composition'] as Json;
    expect(composition).toMatchObject(picked({ ...settlement }, COMPOSED));
    expect(composition['total_minor']).toBe(row['amount_minor']);
  }
});

test('settlements by status', async () => {
  const { by_status } = await get<{ by_status: readonly Json[] }>('/financials/settlements/summary');
  const figures = by_status
    .filter(({ settlement_count }) => settlement_count !== 0)
    .filter(({ status }) => String(status) in BY_STATUS)
    .map((row) => [
      row['status'],
      [
        'settlement_count',
        'gross_amount_minor',
        'fees_minor',
        'adjustments_minor',
        'net_amount_minor',
        'payout_amount_minor',
      ].map((name) => row[name]),
    ]);
  expect(Object.fromEntries(figures)).toEqual(BY_STATUS);
});

const BREAKDOWN = [
  'in_hold_minor',
  'available_minor',
  'reserved_minor',
  'settled_unpaid_minor',
  'in_transit_minor',
];

/** The fields of a resource that a row of the table has. */
function shown(body: Json, row: Json): Json {
  const names = Object.keys(row).filter((name) => !BREAKDOWN.includes(name));
  return { ...picked(body, names), ...picked(body['pending_breakdown'] as Json, BREAKDOWN) };
}

test.each(AS_OF)('the overview at the end of $day', ({ day, ...expected }) => {
  expect(shown(overviews.get(String(day)) ?? {}, expected)).toEqual(expected);
});

test.each(AS_OF)('the balances as of the end of $day, read later', async ({ day, ...expected }) => {
  const balances = await get<Json>(`/financials/balances?as_of=${endOf(String(day))}`);
  expect(shown(balances, expected)).toEqual(expected);
});

test('the marketplace reads the balances of its accounts', async () => {
  const { body } = await callInternal(app, 'GET', '/internal/v1/ledger/balances');
  const accounts = (body?.['data'] ?? []) as readonly { account: string; balance_minor: number }[];
  // Debits are above zero there, credits in the table.
  const found = Object.fromEntries(
    accounts.map(({ account, balance_minor }) => [account, 0 - balance_minor]),
  );
  const named = Object.fromEntries(BALANCES.map(({ account, balance }) => [account, Number(balance)]));
  const standing = (balances: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(balances).filter(([, balance]) => balance !== 0));
  // All other accounts are empty.
  expect(standing(found)).toEqual(standing(named));
});

/** The last payout of each settlement. */
const LAST_PAYOUTS: Readonly<Record<string, string>> = { stl_202607A: 'po_2', stl_202608A: 'po_3' };

/** Ids are random, so the file is compared with the names of the example. */
async function named(csv: string): Promise<string> {
  let text = csv.replaceAll(/\btxn_\w+/g, 'txn');
  for (const [name, { settlement_id }] of await settlements()) {
    text = text.replaceAll(settlement_id, name);
    const { invoice_ids, payout_id } = await get<{
      invoice_ids: readonly string[];
      payout_id: string | null;
    }>(`/financials/settlements/${settlement_id}`);
    for (const [index, id] of invoice_ids.entries())
      text = text.replaceAll(id, `${name.replace('stl', 'inv')}_${index + 1}`);
    if (payout_id !== null) text = text.replaceAll(payout_id, LAST_PAYOUTS[name] ?? '');
  }
  return text.replaceAll('\r\n', '\n');
}

test('the statement file of a settlement, cell for cell', async () => {
  const id = await settlementId('stl_202608A');
  const { status, text } = await story.seller.call('GET', `/financials/settlements/${id}/export/csv`);
  expect(status).toBe(200);
  // The description is the operator's own text, which names the settlement as the operator does.
  expect(await named(text)).toBe(SETTLEMENT_CSV);
});

test('the journal file of each settlement holds its types', async () => {
  for (const [name, { settlement_id }] of await settlements()) {
    const { text } = await story.seller.call(
      'GET',
      `/financials/settlements/${settlement_id}/export/csv?layout=journal`,
    );
    const rows = (await named(text))
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    for (const { group, type, amount, count } of BY_TYPE.filter(({ settlement }) => settlement === name)) {
      const decimal = (Number(amount) / 100).toFixed(2);
      expect(rows).toContainEqual([
        name,
        rows[1]?.[1],
        String(group),
        String(type),
        decimal,
        String(count),
        'AUD',
      ]);
    }
  }
});

test('all invariants hold', async () => {
  const findings = await readFindings(app.app.services.withSystem);
  expect(findings.filter(({ violations }) => violations > 0)).toEqual([]);
});

test('activity by quarter, once the quarter is locked', { timeout: LONG_MS }, async () => {
  await moveTo(app, '2026-10-04T00:00:00Z');
  story.seller = await story.seller.renew();
  for (const { quarter, ...expected } of QUARTERS) {
    const record = await get<Json>(`/financials/taxes/bas-summary?quarter=${quarter}`);
    const found = { quarter, ...picked(record, Object.keys(expected)), locked: record['locked'] };
    expect(found).toEqual({ quarter, ...expected, locked: true });
  }
});

test('the activity file of the locked quarter', async () => {
  const { text } = await story.seller.call(
    'GET',
    '/financials/marketplace-activity/export/csv?quarter=FY2026-27-Q1',
  );
  expect(text.replaceAll('\r\n', '\n')).toBe(ACTIVITY_CSV);
});
