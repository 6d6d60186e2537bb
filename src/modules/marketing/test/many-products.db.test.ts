/** Promotions of a large catalogue. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { plannedAnew } from '../../../../test/support/kept-plans.ts';
import { makePromotion, moved } from '../../../../test/support/marketing.ts';
import { create } from '../../../../test/support/products.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import { lessMinor, minor } from '../../../kernel/money.ts';
import { discountOf } from '../domain/promotion.ts';
import { categoriesOnSale, dearestOf, skusBelowFloor } from '../store.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-08-03T00:00:00.000Z' });
const PRODUCTS = 20_000;
const CATEGORIES = 20;
const TERMS = { value_bps: 1_550, value_minor: null };

/** A catalogue in which each price, less 15.5 %, is exactly the floor of its product. */
async function largeShop() {
  const seller = await app.seller({ plan: 'Big', account_flags: ['marketing', 'pricing'] });
  const { seller_id } = seller;
  const { product_id } = await create(seller, { category: null, price_minor: 1 });
  const prices = Array.from({ length: PRODUCTS }, (_, index) => minor(1_000 + index));
  await asOwner(
    app,
    `insert into product
     select (jsonb_populate_record(p, jsonb_build_object('product_id', 'prd_' || n, 'seller_sku', 'SKU-' || n,
            'external_key', null, 'price_minor', 999 + n, 'category', 'Home > Room ' || n % $4))).*
       from product p, generate_series(1, $3::int) n
      where p.seller_id = $1
        and p.product_id = $2`,
    [seller_id, product_id, PRODUCTS, CATEGORIES],
  );
  await asOwner(
    app,
    `insert into price_guardrail (seller_id, product_id, floor_minor, version, created_at, updated_at)
     select $1, 'prd_' || n, floor, 1, now(), now()
       from unnest($2::bigint[]) with ordinality as f (floor, n)`,
    [seller_id, prices.map((price) => String(lessMinor(price, discountOf(TERMS, price, 1))))],
  );
  return seller;
}

test('an estimate reads a few products of each category, and floors are compared by the database', async () => {
  const seller = await largeShop();
  const { seller_id } = seller;
  const room = `home > ROOM ${(PRODUCTS - 1) % CATEGORIES}`;
  const one = await makePromotion(app, seller, { ...TERMS, applies_to: { categories: [room] } });
  const dearest = one.estimate.map(({ price_minor }) => price_minor);
  expect(dearest).toEqual(Array.from({ length: 20 }, (_, at) => 998 + PRODUCTS - at * CATEGORIES));
  const all = await makePromotion(app, seller, TERMS);
  expect(all.estimate).toMatchObject({ length: 20, 0: { price_minor: 999 + PRODUCTS } });
  const read = (work: Parameters<typeof rowsRead>[1]) =>
    app.app.services.withSeller(seller_id, 'read', (db) => rowsRead(db, work));
  const scope = { currency: 'AUD', by: 'category_or_none' } as const;
  const names = await app.app.services.withSeller(seller_id, 'read', (db) =>
    categoriesOnSale({ db, seller_id }),
  );
  expect(names).toHaveLength(CATEGORIES + 1);
  expect(await read((db) => categoriesOnSale({ db, seller_id }))).toBeLessThan(10 * CATEGORIES);
  const dearestRead = () => read((db) => dearestOf({ db, seller_id }, { ...scope, names }, 20));
  expect(await dearestRead()).toBeLessThan(2_000);
  const skus = { currency: 'AUD', by: 'seller_sku', names: ['SKU-1', 'SKU-2'] } as const;
  expect(await read((db) => dearestOf({ db, seller_id }, skus, 20))).toBeLessThan(20);
  const anew = app.app.services.withSeller(seller_id, 'snapshot', (one) =>
    plannedAnew(one, (db) => dearestOf({ db, seller_id }, { ...scope, names: [room] }, 20)),
  );
  expect(await anew).toEqual([]);
  expect(await read((db) => skusBelowFloor({ db, seller_id }, skus, TERMS, 50))).toBeLessThan(20);
  // Every price falls exactly to its floor, so both round alike.
  expect((await moved(seller, all, 'submit')).status).toBe(200);
  await asOwner(app, 'update price_guardrail set floor_minor = floor_minor + 1 where seller_id = $1', [
    seller_id,
  ]);
  const { status, body } = await moved(seller, one, 'submit');
  expect([status, body['code']]).toEqual([409, 'below_floor']);
  expect(body['skus']).toHaveLength(50);
  await asOwner(app, 'update product set price_minor = 999 where seller_id = $1', [seller_id]);
  expect(await dearestRead()).toBeLessThan(2_000);
});
