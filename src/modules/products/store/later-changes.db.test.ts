/** What a revert asks about the past of products is looked up product by product, also among thousands of runs. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { stockSetSince, undoneChanges } from './later-changes.ts';

const app = await startTestApp({ ROLE: 'api' });
const RUNS = 2_000;
const PRODUCTS = 500;
const ROWS_OF_A_RUN = 5;

/** Every tenth run reverts the one before. Each run sets the stock of five products, one row each. */
const FILL = [
  `insert into feed_run (seller_id, run_id, kind, mode, on_error, dry_run, async, status, counts, source, replay_key,
     contract_version, reverts_run_id, received_at, finished_at)
   select $1, 'frn_' || n, case when n % 10 = 0 then 'revert' else 'inventory' end, 'inventory', 'continue', false,
          false, 'succeeded', '{"not_attempted":0}', '{}', 'key_' || n, '1', case when n % 10 = 0 then 'frn_' || n - 1 end,
          timestamptz '2026-06-01' + n * interval '1 minute', timestamptz '2026-06-01' + n * interval '1 minute'
     from generate_series(1, ${RUNS}) n`,
  `insert into feed_row (seller_id, run_id, row_number, line_start, line_end, product_id, outcome, raw_sha256, changes)
   select $1, 'frn_' || n, line, line, line,
          'prd_' || ((n - case when n % 10 = 0 then 1 else 0 end) * ${ROWS_OF_A_RUN} + line) % ${PRODUCTS},
          'updated', '', '{"quantity_on_hand":[1,2]}'
     from generate_series(1, ${RUNS}) n, generate_series(1, ${ROWS_OF_A_RUN}) line`,
  'analyze feed_run, feed_row',
];

test('whether stock was set, and which changes were reverted, reads the rows of the products alone', async () => {
  const { seller_id } = await app.seller();
  await runOn(app.database.adminUrl, async (client) => {
    for (const text of FILL) await client.query(text, text.includes('$1') ? [seller_id] : []);
  });
  const ids = Array.from({ length: 100 }, (_, index) => `prd_${400 + index}`);
  // After it are the runs 1981 to 2000, which set 90 of the products; the stock of ten of them was set back.
  const since = '2026-06-02T09:00:00Z';
  await app.app.services.withSellerLong(seller_id, 'snapshot', async (db) => {
    let set: readonly string[] = [];
    let undone: readonly object[] = [];
    const rows = await rowsRead(db, async (counted) => {
      set = await stockSetSince({ db: counted, seller_id }, ids, since);
      undone = await undoneChanges({ db: counted, seller_id }, ids);
    });
    expect([set.length, undone.length]).toEqual([80, 200]);
    // Each product has twenty rows, which are read twice, with their runs and what reverted them.
    expect([rows, rows < ids.length * 20 * 10]).toEqual([rows, true]);
  });
});
