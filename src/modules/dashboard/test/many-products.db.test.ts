/** The summary of a large catalogue. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { stocked } from '../../../../test/support/orders.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import { COUNT_MAX } from '../domain/attention.ts';
import { readWaiting } from '../store/waiting.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });
const MORE = COUNT_MAX + 2_000;

test('counts of stock read no archived product, and end at their limit', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const { seller_id } = seller;
  const { product_id } = await stocked(seller, 0, { reorder_point: 3 });
  // Half of the products are archived, all are sold out.
  for (const [table, more] of [
    ['product', "'seller_sku', 'SKU-' || n, 'status', case when n > $3 then 'archived' else 'active' end"],
    ['inventory', "'quantity_on_hand', 0"],
  ])
    await asOwner(
      app,
      `insert into ${table}
       select (jsonb_populate_record(t, jsonb_build_object('product_id', 'prd_' || n, ${more}))).*
         from ${table} t, generate_series(1, 2 * $3::int) n
        where t.seller_id = $1
          and t.product_id = $2`,
      [seller_id, product_id, MORE],
    );
  const { services } = app.app;
  const read = await services.withSeller(seller_id, 'read', (db) =>
    rowsRead(db, async (counted) => {
      const { stock } = await readWaiting({ db: counted, seller_id }, services.now());
      expect(stock).toEqual({ out_of_stock: COUNT_MAX, at_reorder_point: COUNT_MAX });
    }),
  );
  expect(read).toBeLessThan(2 * COUNT_MAX + 100);
  await asOwner(
    app,
    "update product set status = 'archived' where seller_id = $1 and seller_sku <> 'SKU-7'",
    [seller_id],
  );
  const { body } = await seller.call<{ stock: object }>('GET', '/dashboard/summary');
  expect(body.stock).toEqual({ out_of_stock: 1, at_reorder_point: 1 });
});
