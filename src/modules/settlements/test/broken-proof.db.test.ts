/** The proof names the smallest part that the owner of the database has tampered with. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { bookkeeper } from '../../../../test/support/settlements.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-06-20T00:00:00.000Z',
  LOG_LEVEL: 'silent',
});

interface Books {
  readonly seller: TestSeller;
  readonly settlement: string;
  readonly payout: string;
  /** Entries of the statement by type and order, `sale ord_1`. */
  readonly entries: ReadonlyMap<string, string>;
}
interface Proof {
  readonly status: string;
  readonly failing: Readonly<Record<string, unknown>> | null;
}

const asOwner = (...statements: readonly string[]): Promise<void> =>
  runOn(app.database.adminUrl, async (client) => {
    await client.query("set session_replication_role = 'replica'");
    for (const text of statements) await client.query(text);
  });

type Tamper = (books: Books) => readonly string[];
type Expected = (books: Books) => Readonly<Record<string, unknown>>;

const entry = (books: Books, name: string): string => books.entries.get(name) ?? `no entry ${name}`;
const mine = ({ seller }: Books): string => `seller_id = '${seller.seller_id}'`;
const changeEntry = (books: Books, name: string, change: string): string =>
  `update ledger_entry set ${change} where ${mine(books)} and entry_id = '${entry(books, name)}'`;
const changeSettlement = (books: Books, change: string): string =>
  `update settlement set ${change} where ${mine(books)} and settlement_id = '${books.settlement}'`;
/** The leg behind a fee, which the seller does not see. */
const behind = (books: Books, name: string, change: string): string =>
  `update ledger_entry set ${change} where ${mine(books)} and account = 'manual_adjustments' and journal_id = ` +
  `(select journal_id from ledger_entry where ${mine(books)} and entry_id = '${entry(books, name)}') and amount_minor < 0`;
const whole = (
  problem: string,
  level: string,
  id: string,
  expected: number | null,
  actual: number | null,
) => ({
  level,
  id,
  problem,
  order_id: null,
  row_no: null,
  failing_count: 1,
  expected_minor: expected,
  actual_minor: actual,
});

const FAULTS: readonly (readonly [string, Tamper, Expected])[] = [
  [
    'a cent of one entry',
    (books) => [changeEntry(books, 'platform_fee ord_2', 'amount_minor = amount_minor + 1')],
    (books) => ({
      ...whole('changed', 'entry', entry(books, 'platform_fee ord_2'), -200, -201),
      order_id: 'ord_2',
      row_no: 4,
    }),
  ],
  [
    'a cent of an entry and of its counterpart, so that their journal still balances',
    (books) => [
      changeEntry(books, 'sale ord_1', 'amount_minor = amount_minor - 1'),
      `update ledger_entry set amount_minor = amount_minor + 1 where entry_id = (select entry_id from ledger_entry where ${mine(books)} ` +
        `and bucket is null and journal_id = (select journal_id from ledger_entry where ${mine(books)} and entry_id = '${entry(books, 'sale ord_1')}') limit 1)`,
    ],
    (books) => ({
      ...whole('changed', 'entry', entry(books, 'sale ord_1'), 1_000, 1_001),
      order_id: 'ord_1',
      row_no: 1,
    }),
  ],
  [
    'the order that an entry belongs to',
    (books) => [changeEntry(books, 'platform_fee ord_1', "order_id = 'ord_2'")],
    (books) => ({
      ...whole('changed', 'entry', entry(books, 'platform_fee ord_1'), -100, -100),
      order_id: 'ord_2',
      row_no: 2,
    }),
  ],
  [
    'the type of an entry',
    (books) => [changeEntry(books, 'platform_fee ord_1', "type = 'seller_order_fee'")],
    (books) => ({
      ...whole('changed', 'entry', entry(books, 'platform_fee ord_1'), null, -100),
      order_id: 'ord_1',
      row_no: 2,
    }),
  ],
  [
    'two entries',
    (books) => [
      changeEntry(books, 'sale ord_1', 'amount_minor = amount_minor - 5'),
      changeEntry(books, 'sale ord_2', 'amount_minor = amount_minor + 5'),
    ],
    (books) => ({
      ...whole('changed', 'entry', entry(books, 'sale ord_1'), null, 1_005),
      order_id: 'ord_1',
      row_no: 1,
      failing_count: 2,
    }),
  ],
  [
    'a deleted entry',
    (books) => [
      `delete from ledger_entry where ${mine(books)} and entry_id = '${entry(books, 'sale ord_2')}'`,
    ],
    (books) => ({ ...whole('changed', 'entry', entry(books, 'sale ord_2'), null, null), row_no: 3 }),
  ],
  [
    'a line that was taken out of the statement',
    (books) => [
      `delete from settlement_line where ${mine(books)} and entry_id = '${entry(books, 'platform_fee ord_1')}'`,
    ],
    (books) => ({
      ...whole('missing', 'entry', entry(books, 'platform_fee ord_1'), -100, 0),
      order_id: 'ord_1',
    }),
  ],
  [
    'a line that was added later',
    (books) => [
      `insert into ledger_entry select (e).* from (select jsonb_populate_record(x, jsonb_build_object('entry_id', 'txn_forged', ` +
        `'position', 999, 'amount_minor', -7)) as e from ledger_entry x where ${mine(books)} and entry_id = '${entry(books, 'sale ord_2')}') y`,
      `insert into settlement_line (seller_id, entry_id, settlement_id, row_no) values ('${books.seller.seller_id}', 'txn_forged', '${books.settlement}', 99)`,
    ],
    () => ({ ...whole('added', 'entry', 'txn_forged', 0, 7), order_id: 'ord_2', row_no: 99 }),
  ],
  [
    'a leg that the seller does not see',
    (books) => [behind(books, 'sale ord_1', 'amount_minor = amount_minor + 1')],
    () => ({ level: 'journal', problem: 'unbalanced', expected_minor: 0, actual_minor: 1 }),
  ],
  [
    'the sum of a type',
    (books) => [changeSettlement(books, "by_type = replace(by_type::text, ':-300', ':-299')::json")],
    () => whole('differs', 'type', 'platform_fee', -299, -300),
  ],
  [
    'the order of the lines',
    (books) => [
      `update settlement_line set row_no = -row_no where ${mine(books)} and row_no in (1, 2)`,
      `update settlement_line set row_no = row_no + 3 where ${mine(books)} and row_no < 0`,
    ],
    () => whole('differs', 'lines', 'lines_sha256', null, null),
  ],
  [
    'the digest of the lines',
    (books) => [changeSettlement(books, "lines_sha256 = repeat('0', 64)")],
    () => whole('differs', 'lines', 'lines_sha256', null, null),
  ],
  [
    'two figures with an equal sum',
    (books) => [
      changeSettlement(books, 'gross_amount_minor = gross_amount_minor + 1, fees_minor = fees_minor + 1'),
    ],
    () => ({ ...whole('differs', 'settlement', 'gross', 3_000, 3_001), failing_count: 2 }),
  ],
  [
    'the opening balance and all figures that follow from it',
    (books) => [
      changeSettlement(
        books,
        'opening_balance_minor = 50, payable_amount_minor = payable_amount_minor + 50, closing_balance_minor = 50',
      ),
    ],
    () => ({
      level: 'settlement',
      id: 'opening_balance',
      problem: 'differs',
      expected_minor: 0,
      actual_minor: 50,
    }),
  ],
  [
    'the amount of a payout',
    (books) => [`update payout set amount_minor = amount_minor - 1 where payout_id = '${books.payout}'`],
    (books) => whole('differs', 'payout', books.payout, 2_700, 2_699),
  ],
  [
    'a payout that is marked as paid',
    (books) => [`update payout set status = 'paid' where payout_id = '${books.payout}'`],
    (books) => ({ ...whole('differs', 'payout', books.payout, 0, 2_700), failing_count: 2 }),
  ],
];

const all = new Map<string, Books>();
const UNTOUCHED = 'nothing';

const moveTo = async (now: string): Promise<void> => {
  const answer = await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
  if (answer.status !== 200) throw new Error(answer.text);
};
const prove = async ({ seller, settlement }: Books): Promise<Proof> =>
  (await seller.call<Proof>('GET', `/financials/settlements/${settlement}/proof`)).body;

async function readBooks(seller: TestSeller): Promise<Books> {
  const closed = await seller.call<{ data: { settlement_id: string }[] }>(
    'GET',
    '/financials/settlements?status=ready',
  );
  const settlement = closed.body.data[0]?.settlement_id ?? '';
  const [result] = await app.events({
    specversion: '1.0',
    id: randomUUID(),
    source: '/test',
    type: 'marketplace.payout.updated',
    subject: settlement,
    sellerid: seller.seller_id,
    time: '2026-07-01T00:00:00Z',
    data: { status: 'in_transit' },
  });
  expect(result).toMatchObject({ status: 'applied' });
  const payouts = await seller.call<{ data: { payout_id: string }[] }>('GET', '/payments/payouts');
  const lines = await seller.call<{ data: { transaction_id: string; type: string; order_id: string }[] }>(
    'GET',
    `/financials/settlements/${settlement}/entries`,
  );
  const entries = new Map(
    lines.body.data.map(({ transaction_id, type, order_id }) => [`${type} ${order_id}`, transaction_id]),
  );
  return { seller, settlement, payout: payouts.body.data[0]?.payout_id ?? '', entries };
}

beforeAll(async () => {
  const sellers = new Map<string, TestSeller>();
  for (const name of [UNTOUCHED, ...FAULTS.map(([what]) => what)]) {
    const seller = await app.seller();
    await bookkeeper(app, seller.seller_id).post('2026-06-19', [
      { amount: 1_000, type: 'sale', order_id: 'ord_1', order_line_id: 'oli_1' },
      { amount: -100, type: 'platform_fee', order_id: 'ord_1', order_line_id: 'oli_1' },
      { amount: 2_000, type: 'sale', order_id: 'ord_2', order_line_id: 'oli_2' },
      { amount: -200, type: 'platform_fee', order_id: 'ord_2', order_line_id: 'oli_2' },
    ]);
    sellers.set(name, seller);
  }
  await moveTo('2026-07-01T00:00:00.000Z');
  for (const [name, seller] of sellers) all.set(name, await readBooks(await seller.renew()));
});

const booksOf = (name: string): Books => {
  const found = all.get(name);
  if (found === undefined) throw new Error(`no books for ${name}`);
  return found;
};

test('untouched settlements are proved while others are broken', async () => {
  const books = booksOf(UNTOUCHED);
  expect(books.entries.size).toBe(4);
  expect(await prove(books)).toMatchObject({ status: 'balanced', failing: null });
});

test.each(FAULTS)('%s', async (name, tamper, expected) => {
  const books = booksOf(name);
  expect(await prove(books)).toMatchObject({ status: 'balanced', failing: null });
  await asOwner(...tamper(books));
  const { status, failing } = await prove(books);
  expect(status).toBe('unbalanced');
  expect(failing).toMatchObject(expected(books));
  expect(await prove(booksOf(UNTOUCHED))).toMatchObject({ status: 'balanced' });
});
