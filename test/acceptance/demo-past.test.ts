/**
 * The past of the demo marketplace: a shop whose money is settled, paid and explained. The service replays it once,
 * however often it is started or killed.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { type DemoService, prepareDemo } from '../support/demo-service.ts';
import { testDatabase } from '../support/pg.ts';

const KILLS = Number(process.env['PAST_KILLS'] ?? 2);
/** A replay takes seconds; on a busy machine, a minute. */
const TIMEOUT_MS = 300_000;
const AUDIT = fileURLToPath(new URL('../../scripts/audit-money.ts', import.meta.url));
const run = promisify(execFile);

async function place() {
  const database = await testDatabase();
  const client = new pg.Client(database.adminUrl);
  await client.connect();
  afterAll(() => client.end());
  return { database, client, demo: prepareDemo(database.url) };
}

/** Rows before this instant do not depend on the minute of the replay. */
const EARLY = "(select began_at + interval '40 days' from demo_history)";

/** The stored past, without the values that differ between replays. */
async function storedPast({ client }: Awaited<ReturnType<typeof place>>) {
  const rows = async (text: string) => (await client.query(text)).rows as unknown[];
  return {
    orders: await rows(
      `select order_id, payment_status, total_minor, captured_minor, captured_at from sales_order where order_id like 'ord_past%' and placed_at < ${EARLY} order by 1`,
    ),
    settlements: await rows(
      'select period_start::text, status, gross_amount_minor, fees_minor, adjustments_minor, payout_amount_minor from settlement order by 1',
    ),
    payouts: await rows('select amount_minor, status from payout order by created_at'),
    accounts: await rows(
      'select e.account, e.type, count(*), sum(e.amount_minor) from ledger_entry e join settlement_line l using (seller_id, entry_id) group by 1, 2 order by 1, 2',
    ),
    events: await rows(
      `select type, count(*) from marketplace_event where event_id like 'past-%' and occurred_at < ${EARLY} group by 1 order by 1`,
    ),
    purchases: await rows('select status, origin, goods_minor from purchase_order order by number'),
    receipts: await rows('select reference, reversed_by from receipt order by 1'),
    dropships: await rows("select status from dropship_order where order_id like 'ord_past%'"),
    requests: await rows("select count(*) from feed_run where idempotency_key = 'past-catalogue'"),
  };
}

/** Waits until the payment provider has paid what was due when the service started. */
async function allPaid({ client }: Awaited<ReturnType<typeof place>>): Promise<void> {
  const due = `select from settlement where status = 'processing'
      or (status = 'ready' and expected_payout_on <= (clock_timestamp() at time zone 'Australia/Sydney')::date)`;
  await expect.poll(async () => (await client.query(due)).rowCount, { timeout: 120_000 }).toBe(0);
}

/** Signs in as the owner of the shop. */
async function june(service: DemoService) {
  const { api, demo } = await service.ready();
  const post = async (url: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as { access_token: string };
  };
  const session = await post(`${demo}/session`, { email: 'june@example.com', aal: 'aal2' });
  const marketplace_token = session.access_token;
  const { access_token } = await post(`${api}/api/v1/auth/exchange`, { marketplace_token });
  return async <Body>(path: string): Promise<Body> => {
    const headers = { authorization: `Bearer ${access_token}` };
    const response = await fetch(`${api}/api/v1${path}`, { headers });
    expect(response.status, path).toBe(200);
    return (await response.json()) as Body;
  };
}

interface Settlement {
  readonly settlement_id: string;
  readonly status: string;
  readonly payout_amount_minor: number;
}

// The test ends the service itself, because afterAll runs at the end of the file.
const [undisturbed, killed, young] = [await place(), await place(), await place()];

test('a new data folder has a past: settled, paid, invoiced, proved, and compared with the provider', {
  timeout: TIMEOUT_MS,
}, async () => {
  const here = undisturbed;
  const service = here.demo.start();
  await service.ready();
  expect(service.output()).toContain('… replayed in');
  expect(service.output()).not.toContain('refused');
  await allPaid(here);
  const get = await june(service);
  expect(await get<object>('/payouts/account')).toMatchObject({ provider: 'stripe', status: 'enabled' });
  expect(await get<object>('/onboarding')).toMatchObject({ progress: { percent: 100 }, missing: [] });
  const terms = { status: 'pending', current: { version: '2' }, accepted: { version: '1' } };
  expect(await get<object>('/seller-agreement')).toMatchObject(terms);
  expect(await get<object>('/kyc')).toMatchObject({ status: 'approved', waiting_on: 'nobody' });
  const { data: settlements } = await get<{ data: Settlement[] }>('/financials/settlements');
  expect(settlements[0]?.status).toBe('open');
  const paid = settlements.filter(({ status }) => status === 'paid');
  expect(paid.length).toBeGreaterThan(0);
  for (const { settlement_id, payout_amount_minor } of paid) {
    const proof = await get<object>(`/financials/settlements/${settlement_id}/proof`);
    expect(proof).toMatchObject({ status: 'balanced', failing: null });
    const payouts = await get<object>(`/payments/payouts?settlement_id=${settlement_id}`);
    // What was sent after the start is compared in the night, unless the list was read later than it was sent.
    const status = expect.stringMatching(
      settlement_id === paid[0]?.settlement_id ? /matched|pending|not_started/ : /matched/,
    );
    expect(payouts).toMatchObject({
      data: [{ status: 'paid', amount_minor: payout_amount_minor, reconciliation: { status } }],
    });
    const invoices = await get<object>(
      `/financials/invoices?settlement_id=${settlement_id}&kind=tax_invoice`,
    );
    expect(invoices).toMatchObject({ data: [{ pdf_status: 'available' }] });
  }
  expect(await get<object>('/financials/balances')).toMatchObject({ reconciliation: { status: 'matched' } });
  const { data: reports } = await get<{ data: { state: string }[] }>('/search-insights/reports');
  expect(reports.filter(({ state }) => state === 'available').length).toBeGreaterThanOrEqual(5);
  const market = '/marketplace-intel/categories/trend?category=Home%20%3E%20Kitchen%20%3E%20Mugs&measure=';
  const { data: cells } = await get<{ data: { status: string }[] }>(`${market}demand_index`);
  expect(cells.map(({ status }) => status)).toEqual(expect.arrayContaining(['complete', 'below_threshold']));
  const segments = await get<{ segments: { segment: string; buyers: number }[] }>(
    '/customer-analytics/segments',
  );
  expect(segments).toMatchObject({ semantic_status: 'complete' });
  expect(segments.segments.find(({ segment }) => segment === 'loyal')?.buyers).toBeGreaterThan(4);
  const { data: promotions } = await get<{ data: object[] }>('/marketing/promotions');
  expect(promotions).toMatchObject([{ status: 'running', used: { overspend_minor: 0 } }]);
  expect(promotions[0]).not.toMatchObject({ used: { orders: 0 } });
  expect(await get<object>('/messages/metrics?window=90')).toMatchObject({ late: 1 });
  const { waiting_on_seller } = await get<{ waiting_on_seller: number }>('/messages/summary');
  expect(waiting_on_seller).toBeGreaterThanOrEqual(2);
  const { data: faqs } = await get<{ data: { publication: string }[] }>('/faqs');
  expect(faqs.map(({ publication }) => publication).sort()).toEqual(['live', 'live', 'live', 'rejected']);
  const lateOrders = '/quality/seller-metrics/late_dispatch/events?window=90&counted=false';
  expect(await get<object>(lateOrders)).toMatchObject({ data: [{ contest: { status: 'upheld' } }] });
  expect(await get<object>('/reviews/summary?window=all')).toMatchObject({ seller: { excluded_count: 1 } });
  const { data: requests } = await get<{ data: object[] }>('/customer_service/tickets?kind=seller_request');
  expect(requests).toMatchObject([{ clocks: [{ status: 'met' }, { status: 'met' }] }]);
  const { data: open } = await get<{ data: object[] }>('/customer_service/tickets?kind=marketplace_request');
  expect(open).toMatchObject([{ status: 'pending_seller' }]);
  expect(await get<object>('/loyalty/enrolment')).toMatchObject({ state: 'active' });
  const { data: points } = await get<{ data: { status: string }[] }>('/loyalty/reconciliation');
  expect(points.filter(({ status }) => status === 'matched').length).toBeGreaterThan(3);
  // The points of today's deliveries and refunds come in the evening.
  expect(points.filter(({ status }) => status !== 'matched' && status !== 'pending')).toEqual([]);
  const states = async (path: string) => (await get<{ data: { status: string }[] }>(path)).data;
  expect(await states('/sourcing/rfqs')).toMatchObject([
    { status: 'answered', quotes: 2 },
    { status: 'awarded', quotes: 2 },
  ]);
  expect(await states('/wholesale/purchase-orders')).toMatchObject([
    { status: 'confirmed', attention: [] },
    { status: 'received', origin: 'quote' },
  ]);
  expect(await states('/dropship/listings')).toMatchObject([{ status: 'active' }, { status: 'active' }]);
  const [supplied] = await states('/dropship/orders?status=shipped');
  expect(supplied).toMatchObject({ attention: [], shipments: [{ carrier: 'australia_post' }] });
  const env = { ...process.env, DATABASE_URL: here.database.url };
  const { stdout } = await run(process.execPath, [AUDIT], { env });
  expect(stdout).toMatch(/All \d+ hold\./);

  const before = await storedPast(here);
  await service.end('SIGINT');
  const again = here.demo.start();
  await again.ready();
  await allPaid(here);
  expect(again.output()).not.toContain('past days of trade');
  expect(await storedPast(here)).toEqual(before);
  await again.end('SIGINT');
});

test(`a past that is killed ${KILLS} times is replayed to its end, and each step has one effect`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const { rows } = await undisturbed.client.query<{ instants: string }>(
    'select count(distinct recorded_at) as instants from marketplace_event',
  );
  const instants = Number(rows[0]?.instants);
  const replayed = async (): Promise<number> => {
    const { rows } = await killed.client.query<{ instants: string }>(
      'select count(distinct recorded_at) as instants from marketplace_event',
    );
    return Number(rows[0]?.instants);
  };
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const service = killed.demo.start();
    // Each kill comes later in the past than the one before.
    const goal = (instants * (kill - Math.random() / 2)) / (KILLS + 1);
    while ((await replayed()) < goal) await new Promise((resolve) => setTimeout(resolve, 50));
    await service.end('SIGKILL');
  }
  const last = killed.demo.start();
  await last.ready();
  expect(last.output()).toContain('… replayed in');
  await allPaid(killed);
  expect(await storedPast(killed)).toEqual(await storedPast(undisturbed));
  await last.end('SIGINT');
});

test('a database with sellers gets no past, and neither does one with DEMO_PAST_DAYS=0', async () => {
  const { demo, client } = young;
  const service = demo.start({ DEMO_PAST_DAYS: '0' });
  const { api, demo: marketplace } = await service.ready();
  expect(service.output()).not.toContain('june@example.com');
  const answer = await fetch(`${marketplace}/session`, {
    method: 'POST',
    body: '{"email":"mia@example.com"}',
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  const registered = await fetch(`${api}/api/v1/auth/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ business_name: 'Mia Ceramics', tax_id: '51824753556' }),
  });
  expect(registered.status).toBe(201);
  await service.end('SIGINT');
  const later = demo.start();
  await later.ready();
  expect(later.output()).not.toContain('past days of trade');
  expect((await client.query('select from demo_history')).rowCount).toBe(0);
  await later.end('SIGINT');
});
