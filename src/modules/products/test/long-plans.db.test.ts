import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { applied, goodsFile } from '../../../../test/support/feeds.ts';
import { sql } from '../../../../test/support/sql.ts';
import { loadBySkus } from '../store/load-products.ts';

const app = await startTestApp();
const PRODUCTS = 3_000;
const ASKED = 100;

const FETCHED =
  'select sum(idx_tup_fetch + seq_tup_read)::int as rows from pg_stat_xact_user_tables ' +
  "where relname in ('product', 'inventory')";

test('long work uses the index although the session prepared its statements for an empty catalogue', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const skus = Array.from({ length: ASKED }, (_, index) => `A-${index * 10 + 1}`);
  await app.app.services.withSellerLong(seller.seller_id, 'write', async (db) => {
    for (let time = 0; time < 10; time += 1) await loadBySkus({ db, seller_id: seller.seller_id }, skus);
    await applied(seller, goodsFile(PRODUCTS, 'A'));
    const read = async () => (await db.one<{ rows: number | null }>(sql(FETCHED)))?.rows ?? 0;
    const before = await read();
    expect(await loadBySkus({ db, seller_id: seller.seller_id }, skus)).toHaveLength(ASKED);
    expect((await read()) - before).toBeLessThan(6 * ASKED);
  });
});
