/** The categories of a large catalogue. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { create } from '../../../../test/support/products.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import { ownPaths } from '../store.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-03T02:00:00Z' });
const PRODUCTS = 3_000;
const CATEGORIES = 20;

test('the own categories are found without a read of the catalogue, also those without a price', async () => {
  const seller = await app.seller({ plan: 'Big', account_flags: ['marketplace-intel'] });
  const { seller_id } = seller;
  const { product_id } = await create(seller, { category: 'Garden', price_minor: 100 });
  const more = `
    insert into product
    select (jsonb_populate_record(p, jsonb_build_object('product_id', 'prd_' || $3 || n, 'seller_sku', $3 || n,
           'external_key', null, 'status', $4::text, 'price_minor', $5::bigint, 'category', $6 || n % $7::int))).*
      from product p, generate_series(1, $8::int) n
     where p.seller_id = $1
       and p.product_id = $2`;
  const add = (sku: string, status: string, price: number | null, category: string, count: number) =>
    asOwner(app, more, [seller_id, product_id, sku, status, price, category, CATEGORIES, count]);
  await add('A', 'active', 200, 'Home > Room ', PRODUCTS);
  await add('B', 'active', null, 'Unpriced ', 2);
  await add('C', 'inactive', 200, 'Sold ', 2);
  await add('D', 'inactive', 200, 'Unsold ', 2);
  await asOwner(
    app,
    `insert into fact_sku_day (seller_id, day, product_id, demand_units, ordered_units, ordered_minor, other_units)
     values ($1, '2026-07-30', 'prd_C1', 1, 1, 200, 0), ($1, '2026-04-30', 'prd_D1', 1, 1, 200, 0)`,
    [seller_id],
  );
  const inScope = <T>(work: Parameters<typeof app.app.services.withSeller<T>>[2]) =>
    app.app.services.withSeller(seller_id, 'read', work);
  for (const text of ['', 'analyze']) {
    await asOwner(app, text);
    const paths = await inScope((db) => ownPaths({ db, seller_id }, '2026-05-05'));
    expect(paths.filter((path) => !path.startsWith('Home')).sort()).toEqual([
      'Garden',
      'Sold 1',
      'Unpriced 1',
      'Unpriced 2',
    ]);
    expect(paths).toHaveLength(CATEGORIES + 4);
    expect(
      await inScope((db) => rowsRead(db, (own) => ownPaths({ db: own, seller_id }, '2026-05-05'))),
    ).toBeLessThan(10 * CATEGORIES);
  }
});
