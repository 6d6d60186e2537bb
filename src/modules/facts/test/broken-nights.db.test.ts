/**
 * Nights that break off at any statement end with the rows of nights that nothing disturbs.
 * See docs/design/facts.md#night.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { account_flags, startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { untilJobsRest } from '../../../../test/support/jobs.ts';
import { apply, orderEvent, placement, post } from '../../../../test/support/orders.ts';
import { pricing } from '../../../../test/support/pricing.ts';
import type { CursorDb } from '../../../kernel/context.ts';

/** Friday noon. On Sunday the clock goes forward, and the day has 23 hours. */
const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-10-02T02:00:00Z',
  LOG_LEVEL: 'silent',
});
const { services } = app.app;
const { moveBy, shown, observed, limit, rule } = pricing(app);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NIGHTS = 2;
/** Longer than the job waits before it tries again. */
const RETRY_MS = 660_000;
/** Steps of a night have about as many statements. */
const STATEMENTS_MAX = 12;

interface Shop {
  seller: TestSeller;
  readonly products: readonly { readonly sku: string; readonly product_id: string }[];
  readonly orders: string[];
}

async function open(): Promise<Shop> {
  const seller = await app.seller({ plan: 'Big', account_flags });
  const products = [];
  for (const seller_sku of ['A', 'B']) {
    const product = await shown(seller, 2_499, { seller_sku, quantity_on_hand: 400 });
    await seller.call('PUT', '/forecasting/policy', { json: { lead_time_days: 5 } });
    await limit(seller, product.product_id, { floor_minor: 1_000 });
    await apply(app, observed(seller, product.product_id, 2_299));
    products.push(product);
  }
  await rule(seller);
  // Outages and the days of a product begin long before its orders.
  await asOwner(app, 'update product set created_at = $2 where seller_id = $1', [
    seller.seller_id,
    '2026-01-01',
  ]);
  return { seller, products, orders: [] };
}

const sale = fc.record({
  daysAgo: fc.nat(70),
  of: fc.nat(1),
  quantity: fc.integer({ min: 1, max: 4 }),
  buyer: fc.nat(9),
  answer: fc.constantFrom('none' as const, 'reject' as const, 'accept' as const, 'cancelled' as const),
});
type Sale = typeof sale extends fc.Arbitrary<infer One> ? One : never;

async function sell(shop: Shop, sales: readonly Sale[]): Promise<void> {
  const { seller, products, orders } = shop;
  const events = sales.map(({ daysAgo, of, quantity, buyer }) =>
    placement(app, seller, [{ sku: products[of]?.sku ?? '', quantity, price: 2_499 }], {
      placed_at: new Date(services.now() - daysAgo * DAY_MS).toISOString(),
      buyer: { alias: `b${buyer}`, customer_ref: `ref-${buyer}` },
    }),
  );
  await apply(app, ...events);
  for (const [at, { subject }] of events.entries()) {
    orders.push(subject);
    const answer = sales[at]?.answer;
    if (answer === 'accept' || answer === 'reject')
      await post(seller, `${subject}/${answer}`, answer === 'reject' ? { reason: 'other' } : {});
    if (answer === 'cancelled')
      await apply(app, orderEvent(app, seller, 'order.cancelled', subject, { by: 'buyer' }));
  }
}

/** What the nights have made, with names in place of ids, and without the instants of the computation. */
const MADE = {
  facts:
    'select day::text, product_id, demand_units, ordered_units, ordered_minor, other_units from fact_sku_day',
  outages: 'select product_id, cause, from_at, to_at from fact_outage',
  progress: 'select through_on::text from fact_progress',
  forecasts:
    'select product_id, status, reorder_due, stockout_on::text, expected_units, model, shown, through_on::text from forecast_product',
  days: 'select metric, day::text, numerator, denominator from quality_day where denominator <> 0',
  events: 'select metric, order_id, day::text, fact, counted, gone from quality_event',
  counted: 'select order_id, days, day::text from quality_order',
  night: 'select through_on::text, told from quality_night',
  kept: `select contract, facts_through_on::text, semantic_status, missing, body from insight_snapshot
          where contract not like 'quality.summary%'`,
  prices: 'select product_id, status, code, target_minor, steps from price_evaluation',
  rules: 'select matched_products from price_rule',
  told: `select type, count(*) from outbox where type ~ '^(forecast|pricing|quality\\.metric)'`,
} as const;

async function madeOf({ seller: { seller_id }, products, orders }: Shop): Promise<Record<string, string[]>> {
  const names = new Map([
    ...products.map(({ product_id, sku }) => [product_id, sku] as const),
    ...orders.map((id, at) => [id, `order ${at}`] as const),
  ]);
  const made: Record<string, string[]> = {};
  for (const [name, text] of Object.entries(MADE)) {
    const where = / where /.test(text) ? 'and' : 'where';
    const tail = name === 'told' ? ' group by type' : '';
    const rows = await asOwner(app, `${text} ${where} seller_id = $1${tail}`, [seller_id]);
    made[name] = rows
      .map((row) => JSON.stringify(row).replaceAll(/(?:prd|ord)_\w+/g, (id) => names.get(id) ?? id))
      .sort();
  }
  return made;
}

/** Breaks the statement of each transaction of a seller's night that is next in the list; -1 breaks none. */
function breaking(sellerId: string, places: readonly number[]) {
  const whole = services.withSellerLong;
  const left = [...places];
  let broken = 0;
  const wrapped: typeof whole = (id, mode, fn, options) => {
    const place = id === sellerId && mode === 'write' ? (left.shift() ?? -1) : -1;
    if (place < 0) return whole(id, mode, fn, options);
    return whole(
      id,
      mode,
      (db) => {
        let count = 0;
        const before = async (): Promise<void> => {
          count += 1;
          if (count !== place + 1) return;
          broken += 1;
          // The database ends the connection, or the process has an error of its own.
          if (place % 2 === 0) throw new Error('broken off');
          await db.run({ text: 'select pg_terminate_backend(pg_backend_pid())', values: [] });
        };
        const counting: CursorDb = {
          ...{ later: db.later.bind(db), cursor: db.cursor.bind(db) },
          async all(statement) {
            await before();
            return db.all(statement);
          },
          async one(statement) {
            await before();
            return db.one(statement);
          },
          async run(statement) {
            await before();
            return db.run(statement);
          },
        };
        return fn(counting);
      },
      options,
    );
  };
  Object.assign(services, { withSellerLong: wrapped });
  return {
    broken: () => broken,
    end: () => Object.assign(services, { withSellerLong: whole }),
  };
}

const rollsOf = ({ seller: { seller_id } }: Shop) =>
  asOwner(app, "select 1 from job where kind = 'facts.roll' and seller_id = $1", [seller_id]);

const places = fc.array(fc.integer({ min: -1, max: STATEMENTS_MAX }), { minLength: 10, maxLength: 20 });
const nights = fc.array(fc.record({ sales: fc.array(sale, { minLength: 4, maxLength: 12 }), places }), {
  minLength: NIGHTS,
  maxLength: NIGHTS,
});

test('nights that break off at any statement end with the rows of undisturbed ones', {
  timeout: 300_000,
}, async () => {
  const first = Array.from(
    { length: 60 },
    (_, at): Sale => ({
      daysAgo: 1 + at,
      ...{ of: at % 2, quantity: 1 + (at % 3), buyer: at % 10 },
      answer: at % 9 === 0 ? 'reject' : at % 7 === 0 ? 'cancelled' : 'accept',
    }),
  );
  let brokenOff = 0;
  await fc.assert(
    fc.asyncProperty(nights, async (given) => {
      const [calm, disturbed] = [await open(), await open()];
      for (const shop of [calm, disturbed]) await sell(shop, first);
      for (const { sales, places: each } of given) {
        // At noon, so that no order expires between the nights of the two.
        await moveBy(DAY_MS - ((services.now() - 2 * HOUR_MS) % DAY_MS));
        for (const shop of [calm, disturbed]) {
          shop.seller = await shop.seller.renew();
          await sell(shop, sales);
        }
        const breaks = breaking(disturbed.seller.seller_id, each);
        try {
          await moveBy(16 * HOUR_MS);
          await untilJobsRest(app);
          for (let tries = 0; (await rollsOf(disturbed)).length > 0 && tries < 10; tries += 1) {
            await moveBy(RETRY_MS);
            await untilJobsRest(app);
          }
        } finally {
          breaks.end();
        }
        brokenOff += breaks.broken();
        expect(await rollsOf(disturbed)).toEqual([]);
        expect(await madeOf(disturbed)).toEqual(await madeOf(calm));
      }
    }),
    { numRuns: 1, endOnFailure: true },
  );
  expect(brokenOff).toBeGreaterThan(3);
});
