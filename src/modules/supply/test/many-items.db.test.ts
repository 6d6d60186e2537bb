/** Searches among many items. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import { publishSupplier } from '../../../../test/support/supplier.ts';
import { searchItems } from '../store.ts';

const app = await startTestApp();
const ITEMS = 3_000;

test('items in stock are found without a read of those that are not', async () => {
  const { seller_id } = await app.seller();
  const supplier = await publishSupplier(app);
  const [item] = supplier.items;
  await asOwner(
    app,
    `insert into supplier_item (supplier_item_id, supplier_id, supplier_sku, title, image_urls, pack_size,
            minimum_quantity, price_breaks, status, told_at, published_at, updated_at)
     select 'sit_' || n, supplier_id, 'SKU-' || n, title, image_urls, pack_size, minimum_quantity, price_breaks,
            status, told_at, published_at, updated_at
       from supplier_item, generate_series(1, $2::int) n
      where supplier_item_id = $1`,
    [item?.supplier_item_id, ITEMS],
  );
  await asOwner(app, 'analyze supplier_item');
  const search = () =>
    app.app.services.withSeller(seller_id, 'read', async (db) => {
      const rows = await rowsRead(db, (own) => searchItems(own, { in_stock: true }, undefined, 50));
      const found = await searchItems(db, { in_stock: true }, undefined, 50);
      return { rows, found: found.map(({ supplier_item_id }) => supplier_item_id) };
    });
  const none = await search();
  expect(none.found).toEqual([]);
  expect(none.rows).toBeLessThan(50);
  await supplier.count(1);
  expect((await search()).found).toEqual([item?.supplier_item_id]);
  await supplier.count(0);
  expect((await search()).found).toEqual([]);
});
