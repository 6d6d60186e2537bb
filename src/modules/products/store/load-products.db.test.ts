import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { applied, csv, goods, goodsFile } from '../../../../test/support/feeds.ts';
import { plannedAnew } from '../../../../test/support/kept-plans.ts';
import { sql } from '../../../../test/support/sql.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import type { Db } from '../../../kernel/context.ts';

import { loadEvidence } from './feed-rows.ts';
import { loadRun } from './feed-runs.ts';
import { listHistory } from './list-history.ts';
import { listInventory, loadStocks } from './list-inventory.ts';
import { listProducts } from './list-products.ts';
import { loadByIds, loadBySkus, loadProduct, lockNamedProducts, lockProducts } from './load-products.ts';

const app = await startTestApp();
const PRODUCTS = 3_000;
const ASKED = 200;
/** A search reads the texts of whole blocks of products, and the stock of those it finds. */
const TEXTS_OF_A_BLOCK = 1_100;

/** A seller whose catalogue is not in the planner's statistics. */
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
  "where relname in ('product', 'inventory', 'product_change', 'feed_run', 'feed_row')";

/** The number of rows of products, stock, changes and feeds that `work` reads. */
async function rowsRead(db: Db, work: () => Promise<unknown>): Promise<number> {
  const read = async () => (await db.one<{ rows: number | null }>(sql(FETCHED)))?.rows ?? 0;
  const before = await read();
  await work();
  return (await read()) - before;
}

test('each product is an index look-up when the statistics do not include its seller', async () => {
  const seller = await unknownSeller();
  const skus = Array.from({ length: ASKED }, (_, index) => `N-${index * 10 + 1}`);
  await app.app.services.withSeller(seller.seller_id, 'write', async (db) => {
    const at = { db, seller_id: seller.seller_id };
    const found = await loadBySkus(at, skus);
    expect(found.map(({ seller_sku }) => seller_sku).sort()).toEqual([...skus].sort());
    const ids = found.map(({ product_id }) => product_id);
    const reads = {
      skus: await rowsRead(db, () => loadBySkus(at, [...skus, ...skus, 'NONE'])),
      ids: await rowsRead(db, () => loadByIds(at, ids)),
      stock: await rowsRead(db, () => loadStocks(at, ids)),
      lock: await rowsRead(db, () => lockProducts(at, { ids })),
      hold: await rowsRead(db, () => lockNamedProducts(at, { ids, skus })),
    };
    // Each product and its stock; look-ups and locks fetch some rows twice.
    for (const [way, rows] of Object.entries(reads)) expect([way, rows < 6 * ASKED]).toEqual([way, true]);
  });
});

test('the plans of reads and locks of one product are kept', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await applied(seller, goodsFile(10, 'N'));
  const anew = await app.app.services.withSeller(seller.seller_id, 'write', async (one) => {
    const [product] = await loadBySkus({ db: one, seller_id: seller.seller_id }, ['N-1']);
    const ids = [product?.product_id ?? ''];
    return plannedAnew(one, async (db) => {
      const at = { db, seller_id: seller.seller_id };
      await loadBySkus(at, ['N-1']);
      await loadStocks(at, ids);
      expect(await lockNamedProducts(at, { ids })).toHaveLength(1);
      expect(await lockProducts(at, { ids: [], skus: ['N-1'] })).toEqual(ids);
    });
  });
  expect(anew).toEqual([]);
});

test('a page reads little more than its own rows of a catalogue that the statistics do not have', async () => {
  const seller = await unknownSeller();
  const runs = await seller.call<{ data: readonly { run_id: string }[] }>('GET', '/products/feed-runs');
  const limit = 50;
  await app.app.services.withSeller(seller.seller_id, 'write', async (db) => {
    const at = { db, seller_id: seller.seller_id };
    const [last] = await listProducts(at, {}, undefined, 1);
    const productId = last?.product_id ?? '';
    const updated_since = '2000-01-01T00:00:00Z';
    const runId = runs.body.data[0]?.run_id ?? '';
    const reads = {
      newest: await rowsRead(db, () => listProducts(at, {}, undefined, limit)),
      changed: await rowsRead(db, () => listProducts(at, { updated_since }, undefined, limit)),
      stock: await rowsRead(db, () => listInventory(at, {}, undefined, limit)),
      changedStock: await rowsRead(db, () => listInventory(at, { updated_since }, undefined, limit)),
      inStock: await rowsRead(db, () => listInventory(at, { low_stock: false }, undefined, limit)),
      product: await rowsRead(db, () => loadProduct(at, productId)),
      history: await rowsRead(db, () => listHistory(at, productId, undefined, limit)),
      run: await rowsRead(db, () => loadRun(at, runId)),
      rowResults: await rowsRead(db, () => loadEvidence(at, { runId }, 0, limit)),
    };
    for (const [what, rows] of Object.entries(reads))
      expect([what, rows, rows < 4 * limit]).toEqual([what, rows, true]);
  });
});

test('a rare state, a low stock and a rare character are found without the rest of the catalogue', async () => {
  const seller = await unknownSeller();
  const run = await applied(seller, csv([goods('RARE-1', { title: 'Tea bowl 茶' })]));
  const product_id = run.row_results[0]?.product_id;
  await runOn(app.database.adminUrl, async (client) => {
    const update = 'update product set status = $2, curation_state = $3 where product_id = $1';
    await client.query(update, [product_id, 'inactive', 'rejected']);
    await client.query('update inventory set quantity_on_hand = 0, reorder_point = 1 where product_id = $1', [
      product_id,
    ]);
  });
  await expect
    .poll(() => runOn(app.database.adminUrl, (client) => client.query('select from product_search_queue')), {
      timeout: 30_000,
    })
    .toMatchObject({ rowCount: 0 });
  await app.app.services.withSeller(seller.seller_id, 'write', async (db) => {
    const at = { db, seller_id: seller.seller_id };
    const updated_since = '2000-01-01T00:00:00Z';
    const lists = {
      status: () => listProducts(at, { status: 'inactive' }, undefined, 50),
      curation: () => listProducts(at, { curation: 'rejected' }, undefined, 50),
      both: () => listProducts(at, { status: 'inactive', curation: 'rejected' }, undefined, 50),
      character: () => listProducts(at, { q: '茶' }, undefined, 50),
      low: () => listInventory(at, { low_stock: true, updated_since }, undefined, 50),
      soldOut: () => listInventory(at, { out_of_stock: true, updated_since }, undefined, 50),
    };
    for (const [what, list] of Object.entries(lists)) {
      const found: string[] = [];
      const rows = await rowsRead(db, async () => {
        for (const product of await list()) found.push(product.product_id);
      });
      const limit = what === 'character' ? TEXTS_OF_A_BLOCK : 20;
      expect([what, found, rows, rows < limit]).toEqual([what, [product_id], rows, true]);
    }
  });
});

test('a repeated key finds one product, and rows are locked in the order of their ids', async () => {
  const seller = await app.seller();
  await applied(seller, goodsFile(5, 'A'));
  await app.app.services.withSeller(seller.seller_id, 'write', async (db) => {
    const at = { db, seller_id: seller.seller_id };
    expect(await loadBySkus(at, ['A-1', 'A-1', 'A-2'])).toHaveLength(2);
    const ids = (await loadBySkus(at, ['A-1', 'A-2', 'A-3', 'A-4', 'A-5'])).map((p) => p.product_id);
    const locked = await lockProducts(at, { ids: [...ids].sort().reverse() });
    expect(locked).toEqual([...ids].sort());
    const held = await lockNamedProducts(at, { ids: ids.slice(0, 2), skus: ['A-1', 'A-5', 'NONE'] });
    expect(new Set(held.map(({ seller_sku }) => seller_sku))).toHaveProperty('size', held.length);
  });
});
