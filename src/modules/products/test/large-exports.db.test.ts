import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { create } from '../../../../test/support/products.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import type { SellerCursor } from '../../../platform/db/table.ts';
import { exportNative, exportStock } from '../actions/export-rows.ts';

const app = await startTestApp();
const PRODUCTS = 10_000;
const ALL = { include_archived: false };

test('an export reads each product and its stock once, however few the planner expects', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const { seller_id } = seller;
  const { product_id } = await create(seller, { quantity_on_hand: 7 });
  // The stock is stored in another order than the products, as sales leave it.
  for (const [table, order] of [
    ['product', 'n'],
    ['inventory', 'md5(n::text)'],
  ])
    await asOwner(
      app,
      `insert into ${table}
       select (jsonb_populate_record(t, jsonb_build_object('product_id', 'prd_' || n, 'seller_sku', 'SKU-' || n))).*
         from ${table} t, generate_series(1, $3::int) n
        where t.seller_id = $1
          and t.product_id = $2
        order by ${order}`,
      [seller_id, product_id, PRODUCTS],
    );
  await asOwner(app, 'analyze product, inventory');
  const read = (of: (at: SellerCursor) => AsyncIterable<string>) =>
    app.app.services.withSeller(seller_id, 'snapshot', (db) =>
      rowsRead(db, async (counted) => {
        let lines = 0;
        for await (const text of of({ db: counted, seller_id })) lines += text.split('\n').length - 1;
        expect(lines).toBeGreaterThanOrEqual(PRODUCTS);
      }),
    );
  expect(await read((at) => exportStock(at, 'jsonl'))).toBeLessThan(3 * PRODUCTS);
  expect(await read((at) => exportNative(at, ALL, 'jsonl', 'https://api.example/media'))).toBeLessThan(
    6 * PRODUCTS,
  );
});
