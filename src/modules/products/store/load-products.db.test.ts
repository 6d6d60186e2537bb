import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { applied, goodsFile } from '../../../../test/support/feeds.ts';
import { sql } from '../../../../test/support/sql.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import type { Db } from '../../../kernel/context.ts';

import { loadStocks } from './list-inventory.ts';
import { loadByIds, loadBySkus, lockNamedProducts, lockProducts } from './load-products.ts';

const app = await startTestApp();
const PRODUCTS = 3_000;
const ASKED = 200;

/** A catalogue that the planner knows nothing of: its statistics are of other sellers. */
async function unknownSeller(): Promise<TestSeller> {
  const known = await app.seller({ plan: 'Small' });
  await applied(known, goodsFile(PRODUCTS, 'K'));
  await runOn(app.database.adminUrl, (client) => client.query('analyze product, inventory'));
  const seller = await app.seller({ plan: 'Small' });
  await applied(seller, goodsFile(PRODUCTS, 'N'));
  return seller;
}

const FETCHED =
  'select sum(idx_tup_fetch + seq_tup_read)::int as rows from pg_stat_xact_user_tables ' +
  "where relname in ('product', 'inventory')";

/** Rows of products and stock that the work looks at. */
async function rowsRead(db: Db, work: () => Promise<unknown>): Promise<number> {
  const read = async () => (await db.one<{ rows: number | null }>(sql(FETCHED)))?.rows ?? 0;
  const before = await read();
  await work();
  return (await read()) - before;
}

test('products are looked up one by one while the statistics do not know their seller yet', async () => {
  const seller = await unknownSeller();
  const skus = Array.from({ length: ASKED }, (_, index) => `N-${index * 10 + 1}`);
  await app.app.services.withSeller(seller.seller_id, 'write', async (db) => {
    const found = await loadBySkus(db, skus);
    expect(found.map(({ seller_sku }) => seller_sku).sort()).toEqual([...skus].sort());
    const ids = found.map(({ product_id }) => product_id);
    const reads = {
      skus: await rowsRead(db, () => loadBySkus(db, [...skus, ...skus, 'NONE'])),
      ids: await rowsRead(db, () => loadByIds(db, ids)),
      stock: await rowsRead(db, () => loadStocks(db, ids)),
      lock: await rowsRead(db, () => lockProducts(db, ids)),
      hold: await rowsRead(db, () => lockNamedProducts(db, { ids, skus })),
    };
    // A product, its stock, and what looking and locking fetch twice.
    for (const [way, rows] of Object.entries(reads)) expect([way, rows < 6 * ASKED]).toEqual([way, true]);
  });
});

test('a repeated key is one product, and rows are locked in the order of the ids', async () => {
  const seller = await app.seller();
  await applied(seller, goodsFile(5, 'A'));
  await app.app.services.withSeller(seller.seller_id, 'write', async (db) => {
    expect(await loadBySkus(db, ['A-1', 'A-1', 'A-2'])).toHaveLength(2);
    const ids = (await loadBySkus(db, ['A-1', 'A-2', 'A-3', 'A-4', 'A-5'])).map((p) => p.product_id);
    const locked = await lockProducts(db, [...ids].sort().reverse());
    expect([...locked.keys()]).toEqual([...ids].sort());
    const held = await lockNamedProducts(db, { ids: ids.slice(0, 2), skus: ['A-1', 'A-5', 'NONE'] });
    expect(new Set(held.map(({ seller_sku }) => seller_sku))).toHaveProperty('size', held.length);
  });
});
