/** Orders that were paid for while a release without a ledger served: they are in the books without being touched. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { apply, orderEvent, placeOrder, stocked } from '../../../../test/support/orders.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { readFindings } from '../../financials/index.ts';

const app = await startTestApp();
const { services } = app.app;
const sellers = [await app.seller({ plan: 'Small' }), await app.seller({ plan: 'Small' })];

const HOUR_MS = 3_600_000;
const START = services.now() - 200 * HOUR_MS;
const at = (hours: number) => ({ time: new Date(START + hours * HOUR_MS).toISOString() });

const captured = { charge_id: 'ch_1', captured_minor: 6_500, provider_fee_minor: 68 };
const refunded = { refund_id: 'rf_1', lines: [{ order_line_no: 1, amount_minor: 2_000 }] };
/** What had become of orders, by what was told of them. */
const STORIES: readonly (readonly [type: string, data: object, hours: number])[][] = [
  [['order.payment_captured', captured, 1]],
  [
    ['order.payment_captured', captured, 1],
    ['order.cancelled', { by: 'buyer' }, 2],
  ],
  [
    ['order.payment_captured', captured, 1],
    ['order.delivered', {}, 48],
    ['refund.created', refunded, 60],
    ['refund.confirmed', { refund_id: 'rf_1' }, 61],
    ['dispute.opened', { dispute_id: 'dp_1', amount_minor: 4_000, provider_fee_minor: 2_500 }, 70],
  ],
  [['order.delivered', {}, 48]],
];

const ids: string[] = [];
for (const seller of sellers) {
  const { sku } = await stocked(seller, null);
  for (const story of STORIES) {
    const lines = [
      { sku, quantity: 3, price: 2_000 },
      { kind: 'shipping' as const, price: 500 },
    ];
    const id = await placeOrder(app, seller, lines, { placed_at: at(0).time });
    ids.push(id);
    for (const [type, data, hours] of story)
      await apply(app, orderEvent(app, seller, type, id, data, at(hours)));
  }
}

const read = <Row>(text: string, ...values: unknown[]) =>
  services.withSystem('jobs', 'read', (db) => db.all<Row>({ text, values }));

/** The books without what is new with every posting. */
const books = (): Promise<unknown[]> =>
  read(
    'select e.seller_id, e.order_id, j.kind, e.account, e.type, e.order_line_id, e.amount_minor, e.posted_on::text as posted_on, ' +
      'e.available_on::text as available_on, e.late, j.occurred_at ' +
      'from ledger_entry e join ledger_journal j using (seller_id, journal_id) ' +
      'order by e.seller_id, e.order_id, j.kind, e.account, e.type, e.order_line_id, e.amount_minor',
  );

const LEDGER = [
  'ledger_entry',
  'ledger_journal',
  'ledger_day',
  'ledger_month',
  'ledger_later_sale',
  'ledger_head',
  'order_terms',
];
/** As a release leaves them that knows no ledger. */
const forget = (): Promise<void> =>
  runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query("set local session_replication_role = 'replica'");
    for (const table of LEDGER) await client.query(`delete from ${table}`);
    await client.query('commit');
  });

const JOB = 'orders.post_captured';
const jobsOf = () =>
  read<{ unique_key: string }>('select unique_key from job where kind = $1 and due_at <= now()', JOB);
async function goThrough(payload: Record<string, unknown>): Promise<void> {
  const uniqueKey = `test ${JSON.stringify(payload)} ${Math.random()}`;
  await services.withSystem('jobs', 'read', (db) =>
    services.jobs.add(db, { kind: JOB, payload, uniqueKey, dueAt: services.now() }),
  );
  await eventually(jobsOf, (left) => left.length === 0);
}
const heads = () => read('select seller_id, position from ledger_head order by 1');

test('what a release without a ledger has left behind is posted as if it had been at once', async () => {
  await eventually(jobsOf, (left) => left.length === 0);
  const before = await books();
  expect(before.length).toBeGreaterThan(30);
  await forget();
  expect(await books()).toEqual([]);
  await goThrough({});
  expect(await books()).toEqual(before);
  const findings = await readFindings(services.longSystem);
  expect(findings.filter(({ violations }) => violations > 0)).toEqual([]);
});

test('once more there is nothing to post', async () => {
  const before = await heads();
  await goThrough({});
  expect(await heads()).toEqual(before);
});

test('a round that was cut short goes on where it was, and the orders that it had done stay as they are', async () => {
  const whole = await books();
  await forget();
  const [first, second] = [...sellers].sort((a, b) => (a.seller_id < b.seller_id ? -1 : 1));
  await goThrough({ seller_id: second?.seller_id, order_id: '', round: 1 });
  const half = await books();
  expect(half.length).toBeGreaterThan(0);
  expect(half).toEqual(whole.filter((row) => (row as { seller_id: string }).seller_id !== first?.seller_id));
  const positions = await heads();
  await goThrough({});
  expect(await books()).toEqual(whole);
  expect(await heads()).toEqual(expect.arrayContaining(positions));
});

test('an order that changes meanwhile is posted once', async () => {
  await forget();
  const [seller] = sellers;
  if (seller === undefined) throw new Error('nobody is there');
  const [open = ''] = ids;
  await Promise.all([
    goThrough({}),
    apply(app, orderEvent(app, seller, 'order.delivered', open, {}, at(150))),
    goThrough({ round: 2 }),
  ]);
  const rows = await read<{ kind: string }>(
    'select kind from ledger_journal where order_id = $1 order by kind',
    open,
  );
  expect(rows.map(({ kind }) => kind)).toEqual(['order_captured', 'order_delivered']);
});
