/** What lists and look-ups of prices read of a large catalogue. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { plannedAnew } from '../../../../test/support/kept-plans.ts';
import { pricing } from '../../../../test/support/pricing.ts';
import { rowsRead } from '../../../../test/support/rows-read.ts';
import { listEvaluated, nextProducts, pricedProducts, productsNamed } from '../store/products.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });
const { shop, shown, limit, rule, passes } = pricing(app);
const PRODUCTS = 10_000;
const TODAY = '2026-07-20';
const DAY = { today: TODAY, offers_from: '2026-07-19T00:00:00Z' };
/** A page, with the product, its evaluation, its limits, its offers and its cost in each row. */
const PAGE = 50;
const PAGE_READS = 10 * PAGE;

test('a page reads its own rows, however many products are evaluated, with statistics and without', async () => {
  const seller = await shop();
  const { seller_id } = seller;
  const { product_id } = await shown(seller, 2_000, { category: 'Home' });
  await limit(seller, product_id, { floor_minor: 100 });
  await rule(seller);
  await passes();
  for (const [table, more] of [
    ['product', "'seller_sku', 'SKU-' || n, 'external_key', null"],
    ['inventory', "'quantity_on_hand', 5"],
    ['price_guardrail', "'floor_minor', n"],
    ['price_evaluation', "'status', (array['blocked', 'recommended', 'no_change'])[1 + n % 3]"],
  ])
    await asOwner(
      app,
      `insert into ${table}
       select (jsonb_populate_record(t, jsonb_build_object('product_id', 'prd_' || n, ${more}))).*
         from ${table} t, generate_series(1, $3::int) n
        where t.seller_id = $1
          and t.product_id = $2`,
      [seller_id, product_id, PRODUCTS],
    );
  const read = (work: Parameters<typeof rowsRead>[1]) =>
    app.app.services.withSeller(seller_id, 'read', (db) => rowsRead(db, work));
  for (const text of ['', 'analyze']) {
    await asOwner(app, text);
    for (const filter of [{}, { status: 'recommended' as const }, { category: 'home' }, { sku: 'SKU-9000' }])
      for (const after of [undefined, 'prd_5000']) {
        const rows = await read((db) => listEvaluated({ db, seller_id }, DAY, filter, after, PAGE));
        expect(rows, JSON.stringify({ text, filter, after })).toBeLessThan(PAGE_READS);
      }
    expect(await read((db) => nextProducts({ db, seller_id }, TODAY, 'prd_5000', PAGE))).toBeLessThan(
      PAGE_READS,
    );
    expect(await read((db) => pricedProducts({ db, seller_id }, TODAY, ['prd_7', 'prd_8']))).toBeLessThan(30);
    expect(await read((db) => productsNamed({ db, seller_id }, ['prd_7'], ['SKU-8']))).toBeLessThan(30);
    const anew = app.app.services.withSeller(seller_id, 'snapshot', (one) =>
      plannedAnew(one, (db) => pricedProducts({ db, seller_id }, TODAY, ['prd_7'])),
    );
    expect(await anew).toEqual([]);
  }
});
