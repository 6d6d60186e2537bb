/** Each invariant holds for a correct ledger, and reports the fault that it is for. */
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { writeBooks } from '../../../../test/support/books.ts';
import { testDatabase } from '../../../../test/support/pg.ts';
import { sql } from '../../../../test/support/sql.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { createPool } from '../../../platform/db/pool.ts';
import { createWithSystem } from '../../../platform/db/scope.ts';
import { audit, INVARIANTS } from '../../financials/jobs/audit.ts';
import { auditGauges } from '../../ledger/store/invariants.ts';

const database = await testDatabase();
const log = pino({ level: 'silent' });
const pool = createPool({ url: database.url, max: 4, name: 'audit', log });
afterAll(() => pool.end());
const withSystem = createWithSystem(pool, ['ledger-audit']);
const NOW = Date.parse('2026-08-20T00:00:00Z');

await runOn(database.adminUrl, async (client) => {
  await writeBooks(client, 'slr_one');
  await writeBooks(client, 'slr_two');
});

interface Spoken {
  readonly id: string;
  readonly seller_id: string | null;
  readonly subject: string;
}

/** The findings of the invariants after a fault, without triggers and constraints. The fault is then rolled back. */
const spokenAfter = (fault: readonly string[]): Promise<Spoken[]> =>
  runOn(database.adminUrl, async (client) => {
    await client.query("begin; set local session_replication_role = 'replica'");
    for (const text of fault) await client.query(text);
    const spoken: Spoken[] = [];
    for (const { id, text } of INVARIANTS) {
      const { rows } = await client.query<Spoken>(`select * from (${text}) as wrong`);
      spoken.push(...rows.map(({ seller_id, subject }) => ({ id, seller_id, subject })));
    }
    await client.query('rollback');
    return spoken;
  });

const ONE = "seller_id = 'slr_one'";
const entry = (change: string, of: string) => `update ledger_entry set ${change} where ${ONE} and ${of}`;
const settlement = (change: string, id: string) =>
  `update settlement set ${change} where ${ONE} and settlement_id = '${id}'`;
const journal = (id: string, key = id) =>
  'insert into ledger_journal (seller_id, journal_id, kind, occurred_at, posted_on, recorded_at, late, idempotency_key, actor) ' +
  `values ('slr_one', '${id}', 'x', '2026-08-16', '2026-08-16', '2026-08-16', false, '${key}', 'x')`;
const legs = (id: string, ...list: readonly (readonly [string, number])[]) =>
  'insert into ledger_entry (seller_id, entry_id, journal_id, position, account, amount_minor, currency, posted_on, late) values ' +
  list
    .map(
      ([account, amount], index) =>
        `('slr_one', 'txn_${id}_${index}', '${id}', ${900 + index}, '${account}', ${amount}, 'AUD', '2026-08-16', false)`,
    )
    .join(', ');
const without = (table: string, constraint: string) =>
  `alter table ${table} drop constraint ${constraint} cascade`;

/** Fault, the invariants that report it, and the objects that they name; never an object of `slr_two`. */
const FAULTS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'a cent too much in one journal and too little in another',
    [
      entry('amount_minor = amount_minor + 1', "journal_id = 'goodwill' and account = 'manual_adjustments'"),
      entry('amount_minor = amount_minor - 1', "journal_id = 'small' and account = 'manual_adjustments'"),
    ],
    ['I01 goodwill', 'I01 small'],
  ],
  [
    'a cent too much in the whole ledger',
    [entry('amount_minor = amount_minor + 1', "journal_id = 'goodwill' and account = 'manual_adjustments'")],
    // A single cent is wrong in its journal as well.
    ['I01 goodwill', 'I02 AUD'],
  ],
  ['a journal without legs', [journal('empty')], ['I03 empty']],
  [
    'a leg in another currency',
    [
      journal('mixed'),
      legs('mixed', ['manual_adjustments', 1], ['platform_loss', -1]),
      entry("currency = 'NZD'", "entry_id = 'txn_mixed_1'"),
    ],
    ['I01 mixed', 'I02 AUD', 'I02 NZD', 'I03 mixed'],
  ],
  [
    'a fact that is posted twice',
    [
      without('ledger_journal', 'ledger_journal_seller_id_idempotency_key_key'),
      journal('again', 'goodwill'),
      legs('again', ['manual_adjustments', 1], ['platform_loss', -1]),
    ],
    ['I04 goodwill'],
  ],
  [
    'a line that was settled before it was available',
    [entry("available_on = '2026-08-20'", "journal_id = 'goodwill' and bucket is not null")],
    ['I05 txn_*'],
  ],
  [
    'a line in two settlements',
    [
      without('settlement_line', 'settlement_line_pkey'),
      "insert into settlement_line (seller_id, entry_id, settlement_id, row_no) select seller_id, entry_id, 'stl_c', 99 " +
        `from settlement_line where ${ONE} and settlement_id = 'stl_a' and row_no = 1`,
    ],
    ['I05 txn_*', 'I06 stl_c'],
  ],
  [
    'a settlement that says more was sold and less adjusted',
    [
      settlement(
        'gross_amount_minor = gross_amount_minor + 1, adjustments_minor = adjustments_minor - 1',
        'stl_a',
      ),
    ],
    ['I06 stl_a'],
  ],
  [
    'a net amount of another sum',
    [without('settlement', 'adds_up'), settlement('net_amount_minor = net_amount_minor + 1', 'stl_b')],
    ['I07 stl_b'],
  ],
  ['a day between two settlements', [settlement("period_end = '2026-07-30'", 'stl_b')], ['I08 stl_c']],
  [
    'a line that a close has left out',
    [entry("available_on = '2026-08-10'", "journal_id = 'open' and bucket is not null")],
    ['I09 txn_*'],
  ],
  [
    'an attempt to pay more than was settled',
    [`update payout set amount_minor = amount_minor + 1 where ${ONE} and payout_id = 'po_b1'`],
    ['I10 po_b1'],
  ],
  [
    'two payouts of one settlement at once',
    ['drop index payout_live', `update payout set status = 'pending' where ${ONE} and payout_id = 'po_b1'`],
    ['I10 stl_b', 'I11 AUD'],
  ],
  [
    'a payout that is recorded as not sent',
    [`update payout set status = 'pending' where ${ONE} and payout_id = 'po_b2'`],
    ['I11 AUD'],
  ],
  [
    'a reserve without earnings',
    [
      entry('amount_minor = amount_minor - 10', "journal_id = 'reserved' and account = 'seller_reserve'"),
      legs('reserved', ['manual_adjustments', 10]),
    ],
    ['I12 AUD'],
  ],
  [
    'a refund of more than a line was sold for',
    [entry("order_line_id = 'oln_2'", "journal_id = 'refund_1' and type = 'refund'")],
    ['I13 oln_2'],
  ],
  [
    'a sale of more than the line is worth',
    [`update order_line set net_minor = 900, gross_minor = 900 where ${ONE} and order_line_id = 'oln_2'`],
    ['I13 oln_2'],
  ],
  [
    'more of a fee given back than was charged',
    [entry("order_line_id = 'oln_2'", "journal_id = 'refund_1' and type = 'platform_fee_credit'")],
    ['I14 oln_2'],
  ],
  [
    'money in escrow of an order that has ended',
    [`update order_line set accepted_open = 0, cancelled = 1 where ${ONE} and order_line_id = 'oln_3'`],
    ['I15 ord_2'],
  ],
  [
    'a difference that was removed by rounding',
    [entry("account = 'rounding'", "journal_id = 'goodwill' and account = 'manual_adjustments'")],
    ['I16 txn_*'],
  ],
  [
    'a journal that reverses another one',
    [`update ledger_journal set reverses_journal_id = 'refund_1' where ${ONE} and journal_id = 'failed_2'`],
    ['I17 failed_2'],
  ],
  [
    'a fee that stands on no invoice',
    [
      `delete from invoice_line where ${ONE} and entry_id = (select entry_id from ledger_entry where ${ONE} and type = 'seller_order_fee')`,
    ],
    ['I18 inv_a', 'I18 txn_*'],
  ],
  [
    'a number of an invoice left out',
    [`update invoice_series set last = 3 where ${ONE}`],
    ['I18 invoice_series'],
  ],
  [
    'a charge that the provider reports with another amount',
    [
      "update provider_transaction set net_minor = net_minor + 1 where provider_transaction_id = 'txn_of_slr_one'",
    ],
    ['I19 txn_of_slr_one'],
  ],
  [
    'a charge that is matched twice without a reason code',
    [
      'insert into provider_transaction select (y.t).* from (select jsonb_populate_record(x, \'{"provider_transaction_id": "txn_twin"}\') ' +
        "as t from provider_transaction x where provider_transaction_id = 'txn_of_slr_one') y",
      'insert into provider_match (seller_id, provider, provider_transaction_id, journal_id, matched_at) ' +
        `select seller_id, provider, 'txn_twin', journal_id, matched_at from provider_match where ${ONE}`,
    ],
    ['I19 captured'],
  ],
  [
    'an adjustment on the order of another seller',
    [
      "update sales_order set order_id = 'ord_of_two' where seller_id = 'slr_two' and order_id = 'ord_1'",
      "update order_line set order_id = 'ord_of_two' where seller_id = 'slr_two' and order_id = 'ord_1'",
      `update ledger_journal set order_id = 'ord_of_two' where order_id = 'ord_1' and seller_id = 'slr_two' or ${ONE} and journal_id = 'small'`,
      `update ledger_entry set order_id = 'ord_of_two' where order_id = 'ord_1' and seller_id = 'slr_two' or ${ONE} and journal_id = 'small'`,
    ],
    ['I20 small'],
  ],
  [
    'more paid to buyers than was refunded',
    [
      entry('amount_minor = 2010', "journal_id = 'confirmed_1' and account = 'buyer_refunds_payable'"),
      entry('amount_minor = -2010', "journal_id = 'confirmed_1' and account = 'provider_clearing'"),
    ],
    ['I21 buyer_refunds_payable'],
  ],
  [
    'a sum of a day that differs from its entries',
    [`update ledger_day set entries = entries + 1 where ${ONE} and type = 'loyalty_program_fund'`],
    [
      'S01 2026-07-02 seller_payable loyalty_program_fund',
      'S02 2026-07-01 seller_payable loyalty_program_fund',
    ],
  ],
  [
    'an order that a day counts twice',
    [`update ledger_day set first_sales = 2 where ${ONE} and first_sales = 1`],
    ['S01 2026-07-02 seller_payable sale', 'S02 2026-07-01 seller_payable sale'],
  ],
  [
    'a sum of a month that differs from its days',
    [`update ledger_month set amount_minor = amount_minor - 1 where ${ONE} and type = 'refund'`],
    ['S02 2026-07-01 seller_payable refund'],
  ],
  [
    'a later delivery that never happened',
    ["insert into ledger_later_sale values ('slr_one', 'AUD', '2026-07-20', 'ord_1')"],
    ['S03 ord_1'],
  ],
  [
    'a reserve of which more is left than is held back',
    [`update reserve set amount_minor = amount_minor + 1 where ${ONE}`],
    ['S04 AUD'],
  ],
  [
    'a payable amount that its lines do not explain',
    [journal('moved'), legs('moved', ['seller_payable', -10], ['seller_reserve', 10])],
    ['I22 AUD'],
  ],
];

describe('faults', () => {
  test('without a fault all invariants hold', async () => {
    expect(await spokenAfter([])).toEqual([]);
  });

  test.each(FAULTS)('%s', async (_what, fault, expected) => {
    const spoken = await spokenAfter(fault);
    const said = spoken.map(({ id, subject }) => `${id} ${subject.replace(/^txn_(\d|.*_\d$).*/, 'txn_*')}`);
    // A write without the triggers leaves the sums by day stale.
    const counted = expected.some((one) => one.startsWith('S'))
      ? said
      : said.filter((one) => !one.startsWith('S'));
    expect([...new Set(counted)].sort()).toEqual([...expected].sort());
    expect(spoken.map(({ seller_id }) => seller_id)).not.toContain('slr_two');
  });

  test('there is one for each of the 22', () => {
    const numbers = Array.from({ length: 22 }, (_, index) => `I${String(index + 1).padStart(2, '0')}`);
    expect(INVARIANTS.map(({ id }) => id)).toEqual([...numbers, 'S01', 'S02', 'S03', 'S04']);
    expect(
      numbers.filter((id) => !FAULTS.some(([, , said]) => said.some((one) => one.startsWith(id)))),
    ).toEqual([]);
  });
});

test('the nightly audit stores its findings for the metrics, anew each time', async () => {
  const services = { withSystemLong: withSystem, withSystem, now: () => NOW, log };
  const measured = async () => {
    const [gauge] = auditGauges;
    const rows =
      gauge === undefined ? [] : await withSystem('metrics', 'read', (db) => db.all(gauge.read(NOW)));
    return rows.filter(({ value }) => value > 0);
  };
  expect((await audit.run(services)).filter(({ violations }) => violations > 0)).toEqual([]);
  expect(await measured()).toEqual([]);

  await withSystem('jobs', 'write', (db) =>
    db.run(sql(`update payout set status = 'pending' where ${ONE} and payout_id = 'po_b2'`)),
  );
  const broken = (await audit.run(services)).filter(({ violations }) => violations > 0);
  expect(broken).toMatchObject([
    {
      id: 'I11',
      violations: 2,
      examples: [{ seller_id: 'slr_one', subject: 'AUD' }, { seller_id: 'slr_one' }],
    },
  ]);
  expect(await measured()).toEqual([{ label: 'I11', value: 2 }]);
  const kept = await withSystem('jobs', 'read', (db) =>
    db.one(
      sql(
        "select checked_at, json_array_length(examples) as examples from ledger_audit where invariant = 'I11'",
      ),
    ),
  );
  expect(kept).toMatchObject({ examples: 2 });

  await withSystem('jobs', 'write', (db) =>
    db.run(sql(`update payout set status = 'in_transit' where ${ONE} and payout_id = 'po_b2'`)),
  );
  await audit.run(services);
  expect(await measured()).toEqual([]);
});
