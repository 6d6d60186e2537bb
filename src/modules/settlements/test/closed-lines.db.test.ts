/** A closed settlement cannot be changed by any role, and takes only lines that belong to it. */
import { expect, test } from 'vitest';
import { writeBooks } from '../../../../test/support/books.ts';
import { testDatabase } from '../../../../test/support/pg.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const database = await testDatabase();
await runOn(database.adminUrl, async (client) => {
  await writeBooks(client, 'slr_one');
  await writeBooks(client, 'slr_two');
});

const ONE = "seller_id = 'slr_one'";
const entryOf = (journal: string) =>
  `(select entry_id from ledger_entry where ${ONE} and journal_id = '${journal}' and bucket is not null limit 1)`;
const settle = (journal: string, settlement: string) =>
  `insert into settlement_line values ('slr_one', ${entryOf(journal)}, '${settlement}', 99)`;
const invoice = (entry: string, document: string) =>
  `insert into invoice_line values ('slr_one', ${entry}, '${document}')`;
const CLEARING = `(select entry_id from ledger_entry where ${ONE} and account = 'provider_clearing' limit 1)`;

test.each([
  ['a line that no settlement has', settle('open', 'stl_none'), /no line of this settlement/],
  ['a line of the time after the period', settle('open', 'stl_c'), /no line of this settlement/],
  [
    'an entry that does not exist',
    "insert into settlement_line values ('slr_one', 'x', 'stl_c', 99)",
    /no line/,
  ],
  [
    'a leg that is no line',
    `insert into settlement_line values ('slr_one', ${CLEARING}, 'stl_c', 99)`,
    /no line of this settlement/,
  ],
  ['a line that no document has', invoice(entryOf('open'), 'inv_none'), /no fee of this document/],
  ['a line that is no fee', invoice(entryOf('open'), 'inv_a'), /no fee of this document/],
  ['a fee that does not exist', invoice("'x'", 'inv_a'), /no fee of this document/],
  [
    'an entry of no journal',
    "insert into ledger_entry select * from json_populate_record(null::ledger_entry, '" +
      '{"seller_id": "slr_one", "entry_id": "x", "journal_id": "none", "position": 999, "account": "rounding", "amount_minor": 1, ' +
      '"currency": "AUD", "posted_on": "2026-08-16", "late": false}\')',
    /there is no journal none/,
  ],
  [
    'another settlement of a line',
    `update settlement_line set settlement_id = 'stl_b' where ${ONE}`,
    /stays as it is/,
  ],
  ['the removal of a line', `delete from settlement_line where ${ONE}`, /stays as it is/],
  [
    'another document of a fee',
    `update invoice_line set invoice_id = 'inv_b' where ${ONE}`,
    /stays as it is/,
  ],
  ['the removal of a fee', `delete from invoice_line where ${ONE}`, /stays as it is/],
  [
    'another name of a settlement',
    `update settlement set settlement_id = 'x' where ${ONE}`,
    /stays as it is/,
  ],
  ['the removal of a settlement', `delete from settlement where ${ONE}`, /stays as it is/],
  ['another name of a document', `update invoice set invoice_id = 'x' where ${ONE}`, /stays as it is/],
  ['the removal of a document', `delete from invoice where ${ONE}`, /stays as it is/],
  ['no settlements at all', 'truncate settlement cascade', /stays as it is/],
  ['no lines at all', 'truncate settlement_line', /stays as it is/],
  ['no fees at all', 'truncate invoice_line', /stays as it is/],
])('%s is refused, also for the owner of the database', async (_what, text, message) => {
  await expect(runOn(database.adminUrl, (client) => client.query(text))).rejects.toThrow(message);
});

test('a line that is available joins the settlement of its period', async () => {
  await runOn(database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query(
      'insert into settlement select (json_populate_record(s, \'{"settlement_id": "stl_d", "period_start": "2026-08-16", ' +
        `"period_end": "2026-08-31"}')).* from settlement s where ${ONE} and settlement_id = 'stl_c'`,
    );
    await client.query(settle('open', 'stl_d'));
    await client.query('rollback');
  });
});
