/** The output of `npm run audit:money`. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { INVARIANTS } from '../src/modules/financials/jobs/audit.ts';
import { writeBooks } from '../test/support/books.ts';
import { testDatabase } from '../test/support/pg.ts';
import { runOn } from '../test/support/test-server.ts';

const SCRIPT = fileURLToPath(new URL('audit-money.ts', import.meta.url));
const database = await testDatabase();
await runOn(database.adminUrl, (client) => writeBooks(client, 'slr_books'));

function audit(url: string) {
  const env = { PATH: process.env['PATH'], DATABASE_URL: url };
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('says of each invariant that it holds, and ends with 0', () => {
  const { status, stdout } = audit(database.url);
  expect(status).toBe(0);
  expect(stdout.match(/^[IS]\d\d {2}holds/gm)).toHaveLength(INVARIANTS.length);
  expect(stdout).toContain(`All ${INVARIANTS.length} hold.`);
});

test('names the violated invariants with their figures, and ends with 1', async () => {
  await runOn(database.adminUrl, (client) =>
    client.query("update payout set amount_minor = 9551 where payout_id = 'po_a'"),
  );
  const { status, stdout } = audit(database.url);
  expect(status).toBe(1);
  expect(stdout).toMatch(/^I10 {2}BROKEN .*\n {7}slr_books {2}po_a: 9551 AUD of 9550 AUD$/m);
  expect(stdout).toContain(`2 of ${INVARIANTS.length} do not hold.`);
});

test('says why it could not run, and ends with 2', () => {
  const url = new URL(database.url);
  url.pathname = '/nothing_there';
  const { status, stderr } = audit(url.href);
  expect(status).toBe(2);
  expect(stderr).toContain('nothing_there');
});
