/** The ledger on real PostgreSQL: journals that it accepts or refuses, and that it never changes. */

import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../../test/support/pg.ts';
import { posting } from '../../../../test/support/posting.ts';
import { sql } from '../../../../test/support/sql.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import type { CursorDb } from '../../../kernel/context.ts';
import { createIds } from '../../../kernel/ids.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { createPool } from '../../../platform/db/pool.ts';
import { createWithSeller } from '../../../platform/db/scope.ts';
import { move, type NewJournal, statementLegs } from '../domain/journal.ts';
import { postJournals } from './post-journals.ts';

const database = await testDatabase();
const pool = createPool({ url: database.url, max: 6, name: 'ledger', log: pino({ level: 'silent' }) });
afterAll(() => pool.end());
const withSeller = createWithSeller(pool);
const NOW = Date.parse('2026-07-20T00:00:00Z');
const ids = createIds(() => NOW);
const newSeller = () => ids.next('slr_');

const inside = <T>(sellerId: string, work: (db: CursorDb) => Promise<T>): Promise<T> =>
  withSeller(sellerId, 'write', work);
const post = (sellerId: string, ...journals: NewJournal[]) =>
  inside(sellerId, (db) =>
    postJournals(
      posting(db, sellerId, ids, () => NOW),
      journals,
    ),
  );

const sale = (key: string, amount: Minor, more: Partial<NewJournal> = {}): NewJournal => ({
  kind: 'order_delivered',
  key,
  currency: 'AUD',
  occurred_at: '2026-07-10T13:59:59Z',
  actor: 'marketplace',
  order_id: 'ord_1',
  hold_days: 7,
  legs: statementLegs(amount, { type: 'sale', description: 'Sale X' }),
  ...more,
});

interface Row {
  readonly account: string;
  readonly amount_minor: bigint;
  readonly position: bigint;
  readonly posted_on: string;
  readonly available_on: string | null;
  readonly late: boolean;
}
const entriesOf = (sellerId: string): Promise<Row[]> =>
  inside(sellerId, (db) =>
    db.all<Row>(
      sql(
        'select account, amount_minor, position, posted_on::text as posted_on, available_on::text as available_on, late from ledger_entry order by position',
      ),
    ),
  );

describe('a posted journal', () => {
  test('is stored with its legs, its Sydney day and the day on which it is available', async () => {
    const seller = newSeller();
    const [posted] = await post(seller, sale('a', minor(5_995)));
    expect(posted?.isNew).toBe(true);
    expect(await entriesOf(seller)).toEqual([
      {
        account: 'seller_payable',
        amount_minor: -5_995n,
        position: 1n,
        posted_on: '2026-07-10',
        available_on: '2026-07-17',
        late: false,
      },
      {
        account: 'order_escrow',
        amount_minor: 5_995n,
        position: 2n,
        posted_on: '2026-07-10',
        available_on: null,
        late: false,
      },
    ]);
  });

  test('the same key returns the existing journal, in one call and in concurrent calls', async () => {
    const seller = newSeller();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post(seller, sale('one', minor(100)), sale('one', minor(100)))),
    );
    expect(new Set(answers.flat().map(({ journal_id }) => journal_id)).size).toBe(1);
    expect(answers.flat().filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(await entriesOf(seller)).toHaveLength(2);
  });

  test('positions have no gap, with concurrent and failing posts', async () => {
    const seller = newSeller();
    const failing = inside(seller, async (db) => {
      await postJournals(
        posting(db, seller, ids, () => NOW),
        [sale('lost', minor(1))],
      );
      throw new Error('on purpose');
    });
    await Promise.allSettled([
      failing,
      ...Array.from({ length: 12 }, (_, index) => post(seller, sale(`k${index}`, minor(index + 1)))),
    ]);
    const entries = await entriesOf(seller);
    expect(entries.map(({ position }) => position)).toEqual(
      Array.from({ length: 24 }, (_, index) => BigInt(index + 1)),
    );
  });

  test('a line tied to an order is not available before the order is', async () => {
    const seller = newSeller();
    await post(seller, sale('r', minor(5), { hold_days: 0, not_before: '2026-08-01' }));
    await post(seller, sale('s', minor(5), { hold_days: 0, not_before: '2026-07-01' }));
    expect((await entriesOf(seller)).flatMap(({ available_on }) => available_on ?? [])).toEqual([
      '2026-08-01',
      '2026-07-10',
    ]);
  });

  test('a fact of a locked quarter counts today, marked late; a fact of tomorrow counts today', async () => {
    const seller = newSeller();
    await post(seller, sale('late', minor(5), { occurred_at: '2026-06-30T13:59:59Z' }));
    await post(seller, sale('early', minor(5), { occurred_at: '2026-09-01T00:00:00Z' }));
    const days = (await entriesOf(seller)).filter(({ account }) => account === 'seller_payable');
    expect(days.map(({ posted_on, late }) => [posted_on, late])).toEqual([
      ['2026-07-20', true],
      ['2026-07-20', false],
    ]);
  });
});

test.each([
  // Clocks in Sydney go forward on 4 October and back on 4 April. These days have 23 and 25 hours; holds count days.
  ['2026-09-27T13:59:59.999Z', '2026-09-27', '2026-10-04'],
  ['2026-09-27T14:00:00Z', '2026-09-28', '2026-10-05'],
  ['2026-10-03T13:59:59.999Z', '2026-10-03', '2026-10-10'],
  ['2026-10-03T14:00:00Z', '2026-10-04', '2026-10-11'],
  ['2026-10-04T12:59:59.999Z', '2026-10-04', '2026-10-11'],
  ['2026-10-04T13:00:00Z', '2026-10-05', '2026-10-12'],
  ['2027-04-03T12:59:59.999Z', '2027-04-03', '2027-04-10'],
  ['2027-04-03T13:00:00Z', '2027-04-04', '2027-04-11'],
  ['2027-04-04T13:59:59.999Z', '2027-04-04', '2027-04-11'],
  ['2027-04-04T14:00:00Z', '2027-04-05', '2027-04-12'],
  ['2028-02-28T13:30:00+10:30', '2028-02-28', '2028-03-06'],
])('a fact at %s counts on %s and is available on %s', async (occurred_at, posted_on, available_on) => {
  const sellerId = newSeller();
  const now = () => Date.parse(occurred_at);
  await inside(sellerId, (db) =>
    postJournals(posting(db, sellerId, ids, now), [sale('day', minor(5), { occurred_at })]),
  );
  const [line] = await entriesOf(sellerId);
  expect(line).toMatchObject({ posted_on, available_on, late: false });
});

describe('what the ledger refuses', () => {
  test.each([
    [
      'legs that do not balance',
      [
        { account: 'order_escrow', amount: minor(1) },
        { account: 'rounding', amount: minor(-2) },
      ],
    ],
    ['a single leg', [{ account: 'order_escrow', amount: minor(1) }]],
    [
      'a leg that moves nothing',
      [...move('order_escrow', 'rounding', minor(1)), { account: 'rounding', amount: minor(0) }],
    ],
  ] as const)('%s, before anything is written', async (_what, legs) => {
    const seller = newSeller();
    await expect(post(seller, { ...sale('bad', minor(1)), legs: [...legs] })).rejects.toThrow(RangeError);
    expect(await entriesOf(seller)).toEqual([]);
  });

  const alone =
    'insert into ledger_journal (seller_id, journal_id, kind, occurred_at, posted_on, recorded_at, late, idempotency_key, actor) ' +
    "select seller_id, 'jnl_alone', kind, occurred_at, posted_on, recorded_at, late, 'alone', actor from ledger_journal limit 1";
  const legs = (journal: string, ...amounts: readonly number[]) =>
    'insert into ledger_entry (seller_id, entry_id, journal_id, position, account, amount_minor, currency, posted_on, late) ' +
    "select seller_id, 'txn_' || gen_random_uuid(), journal_id, 1000 * (1 + random() * 1e9)::bigint + n, 'rounding', amount, 'AUD', " +
    `posted_on, late from ledger_journal, unnest('{${amounts}}'::int[]) with ordinality u (amount, n) where ${journal}`;
  const [standing, fresh] = ["idempotency_key = 'a'", "journal_id = 'jnl_alone'"];
  const look = 'set constraints all immediate';

  test.each([
    ['an entry that is added to a journal that stands', [legs(standing, 1)], /has its legs already/],
    ['entries that balance, added to a journal that stands', [legs(standing, 1, -1)], /has its legs already/],
    ['a journal without legs', [alone], /fewer than two legs/],
    ['a journal with one leg', [alone, legs(fresh, 1)], /fewer than two legs/],
    ['legs that do not balance', [alone, legs(fresh, 2, -1)], /does not balance/],
    [
      'legs that balance only together with later ones',
      [alone, legs(fresh, 1), legs(fresh, -1)],
      /has its legs already/,
    ],
    ['a look before the legs are there', [look, alone, legs(fresh, 1, -1)], /fewer than two legs/],
    [
      'an entry behind a look that was early',
      [alone, legs(fresh, 1, -1), look, legs(fresh, 1)],
      /has its legs already/,
    ],
    [
      'an entry behind a part that was taken back',
      [alone, 'savepoint s', legs(fresh, 1, -1), 'rollback to s', legs(fresh, 1, 1)],
      /does not balance/,
    ],
    [
      'legs of one statement that are written in two parts of it',
      [alone, `with one as (${legs(fresh, 1, -1)}) ${legs(fresh, 1)}`],
      /does not balance/,
    ],
    ['a change of an entry', ['update ledger_entry set amount_minor = amount_minor + 1'], /append-only/],
    ['the removal of an entry', ['delete from ledger_entry'], /append-only/],
    ['a change of a journal', ["update ledger_journal set actor = 'x'"], /append-only/],
    ['the removal of a journal', ['delete from ledger_journal'], /append-only/],
  ])('%s, for every role', async (_what, texts, message) => {
    const seller = newSeller();
    await post(seller, sale('a', minor(7)));
    const bySeller = inside(seller, async (db) => {
      for (const text of texts) await db.run(sql(text));
    });
    await expect(bySeller).rejects.toThrow(message);
    // As the owner of the database, without row-level security.
    const byOwner = runOn(database.adminUrl, (client) =>
      client.query(`begin; set local app.seller_id = '${seller}'; ${texts.join('; ')}; commit`),
    );
    await expect(byOwner).rejects.toThrow(message);
    expect(await entriesOf(seller)).toHaveLength(2);
  });

  test.each(['ledger_entry', 'ledger_journal'])('%s cannot be emptied, even by its owner', async (table) => {
    await expect(
      runOn(database.adminUrl, (client) => client.query(`truncate ${table} cascade`)),
    ).rejects.toThrow(/append-only/);
  });

  test('the sum of a journal is checked once for any number of legs, and its day is summed once', async () => {
    const seller = newSeller();
    const calls = await runOn(database.adminUrl, async (client) => {
      await post(seller, sale('a', minor(7)));
      await client.query("begin; set local track_functions = 'pl'");
      await client.query(`${alone.replace(' limit 1', '')} where seller_id = '${seller}'`);
      const amounts = Array.from({ length: 500 }, (_, index) => (index % 2 === 0 ? 1 : -1));
      await client.query(`${legs(fresh, ...amounts)} and seller_id = '${seller}'`);
      await client.query(look);
      const { rows } = await client.query<{ name: string; calls: string }>(
        'select funcname as name, calls from pg_stat_xact_user_functions order by 1',
      );
      await client.query('rollback');
      return rows.filter(({ name }) => /^(require|sum)_/.test(name));
    });
    expect(calls).toEqual([
      { name: 'require_all_legs_at_once', calls: '1' },
      { name: 'require_whole_journal', calls: '1' },
      { name: 'sum_ledger_days', calls: '1' },
    ]);
  });

  test('the entries of another seller cannot be found', async () => {
    const [one, two] = [newSeller(), newSeller()];
    await post(one, sale('a', minor(7)));
    await post(two, sale('a', minor(8)));
    expect((await entriesOf(two)).map(({ amount_minor }) => amount_minor)).toEqual([-8n, 8n]);
  });
});
