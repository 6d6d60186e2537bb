/** Charges that orders share, and the parts that the provider released without naming a refund. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { apply, orderEvent, placeOrder, post, TRACKING } from '../../../../test/support/orders.ts';
import {
  LONG_AGO,
  type Reported,
  reconciliationOf,
  reportEvent,
  reportTo,
  soldAndReported,
} from '../../../../test/support/provider-reports.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { minor } from '../../../kernel/money.ts';
import { readFindings } from '../../financials/jobs/audit.ts';
import { addTransactions, matchTransactions } from '../store/provider-transactions.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });
const THROUGH = '2026-07-20T00:00:00Z';

const report = (seller: TestSeller, ...transactions: Reported[]): Promise<void> =>
  reportTo(app, seller, THROUGH, transactions);
const account = reconciliationOf;
const name = (kind: string): string => `${kind}_${randomUUID()}`;

const sold = () => soldAndReported(app, THROUGH);

describe('partial releases of a charge, after parts of its order were cancelled', () => {
  /** An order of three units at 10.00 that was paid, with some of them cancelled one after the other. */
  async function cancelledInParts(...parts: readonly number[]) {
    const seller = await app.seller();
    const order = await placeOrder(app, seller, [{ sku: 'A', title: 'A', price: 1_000, quantity: 3 }]);
    const charge = name('ch');
    const tell = (type: string, data: object, time: string) =>
      apply(app, orderEvent(app, seller, type, order, data, { time }));
    const paid = { charge_id: charge, captured_minor: 3_000, provider_fee_minor: 68 };
    await tell('order.payment_captured', paid, '2026-07-14T00:00:00Z');
    for (const [index, quantity] of parts.entries())
      await tell(
        'order.cancelled',
        { lines: [{ order_line_no: 1, quantity }], by: 'buyer' },
        `2026-07-14T0${index + 1}:00:00Z`,
      );
    await report(seller, { amount: 3_000, fee: 68, source: charge, created_at: LONG_AGO });
    return { seller, charge };
  }
  const back = (source: string, amount: number): Reported => ({
    type: 'refund',
    amount,
    source,
    created_at: LONG_AGO,
  });

  test.each([
    ['in two sums of their own', [1, 2], [[-1_000, -2_000]]],
    ['in two sums of their own, the later one reported first', [1, 2], [[-2_000], [-1_000]]],
    ['in equal sums', [1, 1], [[-1_000, -1_000]]],
    ['in equal sums, reported one after the other', [1, 1, 1], [[-1_000], [-1_000], [-1_000]]],
    ['in one sum', [1, 2], [[-3_000]]],
    ['one alone, the others in one sum', [1, 1, 1], [[-1_000], [-2_000]]],
  ])('%s is matched', async (_what, parts, reports) => {
    const { seller, charge } = await cancelledInParts(...parts);
    for (const amounts of reports) await report(seller, ...amounts.map((amount) => back(charge, amount)));
    const held = 2_932 - 1_000 * parts.reduce((sum, units) => sum + units, 0);
    expect(await account(seller)).toMatchObject({
      status: 'matched',
      expected_minor: held,
      reported_minor: held,
      unmatched_count: 0,
    });
  });

  test('a release too many, or with another amount than the cancellation, is named', async () => {
    const often = await cancelledInParts(1, 1);
    await report(often.seller, back(often.charge, -1_000), back(often.charge, -1_000));
    await report(often.seller, back(often.charge, -1_000));
    expect(await account(often.seller)).toMatchObject({
      reason_codes: ['duplicate_at_provider'],
      difference_minor: 1_000,
    });
    const other = await cancelledInParts(1, 2);
    await report(other.seller, back(other.charge, -1_000), back(other.charge, -1_999));
    expect(await account(other.seller)).toMatchObject({
      reason_codes: ['amount_differs'],
      difference_minor: -1,
      unmatched_count: 0,
    });
  });

  test('of a charge that two sellers share is matched for each', async () => {
    const sellers = [await app.seller(), await app.seller()];
    const charge = name('ch');
    const orders = await Promise.all(
      sellers.map((one) => placeOrder(app, one, [{ sku: 'A', title: 'A', price: 3_333 }])),
    );
    const paid = {
      charge_id: charge,
      captured_minor: 3_333,
      charge_total_minor: 6_666,
      charge_provider_fee_minor: 100,
      share_of: orders.map((order_id) => ({ order_id, gross_minor: 3_333 })),
    };
    const time = '2026-07-14T00:00:00Z';
    for (const [index, seller] of sellers.entries())
      for (const [type, data] of [
        ['order.payment_captured', paid],
        ['order.cancelled', { by: 'marketplace' }],
      ] as const)
        await apply(app, orderEvent(app, seller, type, String(orders[index]), data, { time }));
    const [first, second] = sellers;
    if (first === undefined || second === undefined) throw new Error('no seller');
    await report(first, { amount: 6_666, fee: 100, source: charge, created_at: LONG_AGO });
    await report(
      first,
      { ...back(charge, -3_333), seller: first.seller_id },
      {
        ...back(charge, -3_333),
        seller: second.seller_id,
      },
    );
    for (const one of sellers)
      expect(await account(one)).toMatchObject({
        status: 'matched',
        expected_minor: -50,
        reported_minor: -50,
        unmatched_count: 0,
      });
  });
});

describe('a parcel that was lost and found', () => {
  test('moves no money at the provider, and nothing is missing there', async () => {
    const { seller, order, tell } = await sold();
    await post(seller, `${order}/accept`);
    const { body } = await post<{ shipment_id: string }>(seller, `${order}/shipments`, {});
    await post(seller, `${order}/shipments/${body.shipment_id}/dispatch`, TRACKING);
    const parcel = (type: string, data: object, time: string) =>
      apply(app, orderEvent(app, seller, type, body.shipment_id, data, { time }));
    await parcel('shipment.tracking_updated', { status: 'lost' }, '2026-07-15T00:00:00Z');
    await parcel('shipment.delivered', { delivered_at: '2026-07-16T00:00:00Z' }, '2026-07-16T00:00:00Z');
    await tell('dispute.opened', { dispute_id: name('dp'), amount_minor: 1 }, '2026-07-19T23:00:00Z');
    await report(seller, { amount: 7, source: name('ch'), seller: seller.seller_id });
    // Only the dispute and the unknown charge are awaited.
    expect(await account(seller)).toMatchObject({ status: 'pending', unmatched_count: 2, reason_codes: [] });
  });
});

describe('a charge', () => {
  test('that is reported twice in one report is matched once, and the other is named', async () => {
    const seller = await app.seller();
    const order = await placeOrder(app, seller, [{ sku: 'A', title: 'A', price: 3_333 }]);
    const charge = name('ch');
    const data = { charge_id: charge, captured_minor: 3_333, provider_fee_minor: 68 };
    await apply(app, orderEvent(app, seller, 'order.payment_captured', order, data));
    const once = { amount: 3_333, fee: 68, source: charge };
    await report(seller, once, { ...once, type: 'payment' });
    expect(await account(seller)).toMatchObject({
      status: 'discrepancy',
      reason_codes: ['duplicate_at_provider'],
      difference_minor: -3_265,
    });
  });

  test('that orders of this and other services share is one charge', async () => {
    const seller = await app.seller();
    const orders = await Promise.all(
      [0, 1].map(() => placeOrder(app, seller, [{ sku: 'A', title: 'A', price: 3_333 }])),
    );
    const charge = name('ch');
    const share_of = [...orders, 'ord_elsewhere'].map((order_id) => ({ order_id, gross_minor: 3_333 }));
    for (const order of orders)
      await apply(
        app,
        orderEvent(app, seller, 'order.payment_captured', order, {
          charge_id: charge,
          captured_minor: 3_333,
          charge_total_minor: 9_999,
          charge_provider_fee_minor: 300,
          share_of,
        }),
      );
    await report(seller, { amount: 9_999, fee: 300, source: charge });
    expect(await account(seller)).toMatchObject({ status: 'matched', reported_minor: 6_466 });
  });

  test('that is not shared and that a second order names is missing for the second order', async () => {
    const { seller, charge } = await sold();
    const order = await placeOrder(app, seller, [{ sku: 'B', title: 'B', price: 1_000 }]);
    const data = { charge_id: charge, captured_minor: 1_000, provider_fee_minor: 0 };
    const time = '2026-07-14T00:00:00Z';
    await apply(app, orderEvent(app, seller, 'order.payment_captured', order, data, { time }));
    await reportTo(app, seller, THROUGH, [{ amount: 7, source: name('ch'), seller: seller.seller_id }]);
    expect(await account(seller)).toMatchObject({
      status: 'discrepancy',
      expected_minor: 4_265,
      reported_minor: 3_272,
      reason_codes: ['missing_at_provider'],
    });
  });
});

test('a transaction that is reported again with other figures does not change, and the answer has a warning', async () => {
  const { seller, charge } = await sold();
  const id = name('txn');
  const twice = (amount: number) => reportEvent(app, seller, THROUGH, [{ id, amount, source: charge }]);
  const results = await app.events(twice(10), twice(10), twice(11));
  expect(results).toMatchObject([
    { status: 'applied' },
    { status: 'applied' },
    { status: 'applied', warnings: ['transaction_changed'] },
  ]);
  expect(results.slice(0, 2).filter((result) => 'warnings' in result)).toEqual([]);
  const other = name('txn');
  const [result] = await app.events(
    reportEvent(app, seller, THROUGH, [
      { id: other, amount: 1, source: charge },
      { id: other, amount: 2, source: charge },
    ]),
  );
  expect(result).toMatchObject({ status: 'applied', warnings: ['transaction_changed'] });
});

test.each<[string, Partial<Reported>]>([
  ['type', { type: 'payment' }],
  ['source', { source: name('ch') }],
  ['seller', { seller: 'slr_another' }],
])('neither does one that is reported again with another %s', async (_, change) => {
  const { seller, charge } = await sold();
  const first = { id: name('txn'), amount: 10, source: charge };
  const [, again] = await app.events(
    reportEvent(app, seller, THROUGH, [first]),
    reportEvent(app, seller, THROUGH, [{ ...first, ...change }]),
  );
  expect(again).toMatchObject({ status: 'applied', warnings: ['transaction_changed'] });
});

test('an available day is a Sydney day or an instant; of many faults the first are named', async () => {
  const seller = await app.seller();
  const ids = [name('txn'), name('txn')];
  const { data, ...event } = reportEvent(
    app,
    seller,
    THROUGH,
    ids.map((id) => ({ id, amount: 5 })),
  ) as { data: { transactions: object[] } };
  const days = ['2026-07-05', '2026-07-05T14:00:00Z', '5 July'];
  const tell = (id: string, rows: readonly object[]) =>
    app.events({ ...event, id: name('evt') + id, data: { ...data, transactions: rows } });
  const dated = (day: number) => data.transactions.map((row) => ({ ...row, available_on: days[day] }));
  const [both] = await tell('', [...dated(0).slice(0, 1), ...dated(1).slice(1)]);
  expect(both).toMatchObject({ status: 'applied' });
  const kept = await app.app.services.withSystem('jobs', 'read', (db) =>
    db.all<{ available_on: string }>({
      text:
        'select available_on::text from provider_transaction where provider_transaction_id = any($1::text[]) ' +
        'order by array_position($1::text[], provider_transaction_id)',
      values: [`{${ids.join(',')}}`],
    }),
  );
  expect(kept.map(({ available_on }) => available_on)).toEqual(['2026-07-05', '2026-07-06']);
  const [wrong] = await tell('w', Array.from({ length: 500 }, () => dated(2)).flat());
  expect(wrong).toMatchObject({ status: 'rejected', code: 'data_invalid' });
  const { detail } = wrong as { detail?: string };
  expect(detail).toContain('data/transactions/0/available_on');
  expect(detail?.length).toBeLessThan(6_000);
});

test('all invariants still hold', async () => {
  const findings = await readFindings(app.app.services.withSystemLong);
  const broken = findings.filter(({ violations }) => violations > 0);
  expect(broken.map(({ id, examples }) => [id, examples])).toEqual([]);
});

test('a charge that is reported during the nightly comparison is matched once, and its duplicate is named', async () => {
  await sold();
  const seller = await app.seller();
  const order = await placeOrder(app, seller, [{ sku: 'A', title: 'A', price: 3_333 }]);
  const charge = name('ch');
  const paid = { charge_id: charge, captured_minor: 3_333, provider_fee_minor: 68 };
  await apply(app, orderEvent(app, seller, 'order.payment_captured', order, paid));
  const { withSystem } = app.app.services;
  // The reported transaction would be the second of the two.
  const ids = [`txn_2${charge}`, `txn_1${charge}`];
  const rows = ids.map((provider_transaction_id) => ({
    provider_transaction_id,
    ...{ type: 'charge', amount_minor: minor(3_333), fee_minor: minor(68), net_minor: minor(3_265) },
    ...{
      currency: 'AUD',
      source_id: charge,
      seller_id: seller.seller_id,
      available_on: null,
      created_at: LONG_AGO,
    },
  }));
  await withSystem('jobs', 'write', (db) => addTransactions(db, 'stripe', THROUGH, rows));
  const { promise: matched, resolve: hasMatched } = Promise.withResolvers<void>();
  const { promise: end, resolve: letEnd } = Promise.withResolvers<void>();
  const reporting = withSystem('jobs', 'write', async (db) => {
    await matchTransactions(db, 'stripe', THROUGH, ids.slice(0, 1));
    hasMatched();
    await end;
  });
  await matched;
  const nightly = withSystem('jobs', 'write', (db) => matchTransactions(db, 'stripe', THROUGH, null));
  await Promise.race([nightly, sleep(200)]);
  letEnd();
  await Promise.all([reporting, nightly]);
  const found = await withSystem('jobs', 'read', (db) =>
    db.all({
      text: 'select provider_transaction_id as id, reason_codes from provider_match where seller_id = $1',
      values: [seller.seller_id],
    }),
  );
  expect(new Set(found)).toEqual(
    new Set([
      { id: ids[0], reason_codes: [] },
      { id: ids[1], reason_codes: ['duplicate_at_provider'] },
    ]),
  );
});

test('two reports with the same transactions in different orders do not deadlock', async () => {
  const { seller } = await sold();
  const [first, middle, last] = [name('txn'), name('txn'), name('txn')];
  const reportAll = (...ids: readonly string[]) =>
    report(seller, ...ids.map((id) => ({ id, amount: 100, created_at: LONG_AGO })));
  const waitsFor = await runOn(app.database.adminUrl, async (owner) => {
    await owner.query('begin');
    await owner.query(
      'insert into provider_transaction (provider, provider_transaction_id, type, amount_minor, fee_minor, net_minor, currency, ' +
        "created_at, recorded_at) values ('stripe', $1, 'charge', 100, 0, 100, 'AUD', now(), now())",
      [middle],
    );
    const reports = [reportAll(first, middle, last), reportAll(last, middle, first)];
    const waiting = await eventually(
      async () =>
        (
          await owner.query<{ blocker: number }>(
            'select unnest(pg_blocking_pids(pid)) as blocker from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0',
          )
        ).rows,
      (rows) => rows.length >= 2,
      5_000,
    );
    const own = await owner.query<{ pid: number }>('select pg_backend_pid() as pid');
    await owner.query('rollback');
    await Promise.all(reports);
    return waiting.filter(({ blocker }) => blocker === own.rows[0]?.pid).length;
  });
  // One report has stored its transactions; the other has stored none yet.
  expect(waitsFor).toBe(1);
});
