/** Facts that were rolled night by night equal one rebuild, whatever happened to the orders. See docs/design/facts.md#filling. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import {
  type Order,
  orderEvent,
  placement,
  post,
  readOrder,
  stocked,
} from '../../../../test/support/orders.ts';
import type { Statement } from '../../../kernel/context.ts';
import { acting } from '../../../platform/acting.ts';
import { fillFacts } from '../actions/fill-facts.ts';
import { auditFacts } from '../index.ts';

const RUNS = Number(process.env['FACT_RUNS'] ?? 1);
const SELLERS = 4;
const DAYS = 3;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Friday noon. On Sunday the clock goes forward, and the day has 23 hours. */
const CLOCK_START = process.env['FACT_START'] ?? '2026-10-02T02:00:00Z';
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START, LOG_LEVEL: 'silent' });
const { services } = app.app;
const at = (ms: number): string => new Date(ms).toISOString();

/** `withdrawn` is told with an old time; `broken` is a roll that fails in the middle. */
const STEPS = [
  ...(['place', 'cancelled', 'withdrawn', 'again', 'reject', 'accept', 'cancel', 'roll', 'broken'] as const),
];
const step = fc.record({
  what: fc.constantFrom(...STEPS),
  of: fc.nat(5),
  units: fc.integer({ min: 1, max: 3 }),
  daysAgo: fc.nat(4),
  /** So that orders are placed at either side of midnight and of changed clocks. */
  hoursAgo: fc.nat(23),
});
const day = fc.array(step, { minLength: 2, maxLength: 6 });
/** The days of each seller. */
const histories = fc.array(fc.array(day, { minLength: DAYS, maxLength: DAYS }), {
  ...{ minLength: SELLERS, maxLength: SELLERS },
});

interface Shop {
  seller: TestSeller;
  readonly skus: readonly string[];
  /** The first events are told on any day, before or after those that follow from them. */
  readonly orders: (Record<string, unknown> & { readonly subject: string })[];
  readonly told: Record<string, unknown>[];
}

const fill = ({ seller: { seller_id } }: Shop, statements = Infinity): Promise<string> =>
  services.withSeller(seller_id, 'write', (db) => {
    let left = statements;
    const run = async (statement: Statement<unknown>): Promise<number> => {
      left -= 1;
      if (left < 0) throw new Error('broken off');
      return db.run(statement);
    };
    const { all, one, cursor, later } = db;
    const breaking = {
      all: all.bind(db),
      one: one.bind(db),
      cursor: cursor.bind(db),
      later: later.bind(db),
      run,
    };
    return fillFacts(acting(services, { db: breaking, seller_id }), 'AUD');
  });

async function tell({ told }: Shop, event: Record<string, unknown>): Promise<void> {
  told.push(event);
  const [result] = await app.events(event);
  expect(result?.code).not.toBe('internal_error');
}

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

async function take(shop: Shop, { what, of, units, daysAgo, hoursAgo }: Step): Promise<void> {
  const { seller, orders, told, skus } = shop;
  const id = orders[of % orders.length]?.subject ?? '';
  const lines = { lines: [{ order_line_no: 1, quantity: units }] };
  if (what === 'place') {
    const placed_at = at(services.now() - daysAgo * DAY_MS - hoursAgo * HOUR_MS);
    const event = placement(app, seller, [{ sku: skus[of % skus.length] ?? '', quantity: 4 }], { placed_at });
    orders.push(event);
    // Some are told only when they come again.
    return units === 3 ? void told.push(event) : tell(shop, event);
  }
  if (what === 'cancelled')
    return tell(shop, orderEvent(app, seller, 'order.cancelled', id, { ...lines, by: 'buyer' }));
  if (what === 'withdrawn')
    return tell(
      shop,
      orderEvent(app, seller, 'order.cancelled', id, { ...lines, by: 'marketplace' }, { time: at(0) }),
    );
  if (what === 'again') return told.length === 0 ? undefined : tell(shop, told[of % told.length] ?? {});
  if (what === 'roll') return void (await fill(shop));
  // A night with little to write may end before it breaks.
  if (what === 'broken') {
    const message = await fill(shop, units + daysAgo - 1).catch((error: Error) => error.message);
    return expect(message).toMatch(/^(broken off|\d{4}-\d\d-\d\d)$/);
  }
  // Undefined for an order that is not told yet.
  const { lines: known }: Partial<Order> = await readOrder(seller, id);
  const order_line_id = known?.[0]?.order_line_id;
  if (order_line_id === undefined) return undefined;
  const some = what === 'accept' ? {} : { reason: 'other', lines: [{ order_line_id, quantity: units }] };
  expect((await post(seller, `${id}/${what}`, some)).status).toBeLessThan(500);
}

/** The same from PostgreSQL's calendar, without the days that are not counted yet. */
const madeOf = ({ seller }: Shop) =>
  asOwner(
    app,
    `select seller_id, (placed_at at time zone 'Australia/Sydney')::date as day, product_id,
            sum(wanted)::int as demand_units, sum(ordered)::int as ordered_units,
            sum(net_minor)::bigint as ordered_minor, 0 as other_units
       from v_orders_ordered
      where seller_id = $1
        and (placed_at at time zone 'Australia/Sydney')::date
            <= (select through_on from fact_progress where seller_id = $1)
      group by 1, 2, 3
      order by 2, 3`,
    [seller.seller_id],
  );
const factsOf = ({ seller }: Shop) =>
  asOwner(app, 'select * from fact_sku_day where seller_id = $1 order by day, product_id', [
    seller.seller_id,
  ]);

/** The night of every seller, and the expiry of orders without an answer. */
async function nextDay(shops: readonly Shop[]): Promise<void> {
  const body = { now: at(services.now() + DAY_MS) };
  expect((await callInternal(app, 'POST', '/internal/v1/clock', { body })).status).toBe(200);
  for (const shop of shops) shop.seller = await shop.seller.renew();
}

test('any history of orders, rolled night by night with broken rolls, equals one rebuild', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (given) => {
      const shops: Shop[] = [];
      for (const _ of given) {
        const seller = await app.seller({ plan: 'Free' });
        const skus = [(await stocked(seller, 100)).sku, (await stocked(seller, 5)).sku];
        shops.push({ seller, skus, orders: [], told: [] });
      }
      for (let today = 0; today < DAYS; today += 1) {
        for (const [index, shop] of shops.entries()) {
          await take(shop, { what: 'place', of: index, units: 1, daysAgo: 0, hoursAgo: today });
          for (const one of given[index]?.[today] ?? []) await take(shop, one);
        }
        await nextDay(shops);
      }
      // No change is newer than what the last night counts for certain.
      await nextDay(shops);
      for (const shop of shops) {
        const { seller_id } = shop.seller;
        const rolled = await factsOf(shop);
        expect(rolled.length).toBeGreaterThanOrEqual(DAYS);
        expect(rolled).toEqual(await madeOf(shop));
        expect(await services.withSeller(seller_id, 'read', (db) => auditFacts({ db, seller_id }))).toEqual(
          [],
        );
        await asOwner(app, 'delete from fact_sku_day where seller_id = $1', [seller_id]);
        const begin = 'update fact_progress set through_on = null, watermark_at = null where seller_id = $1';
        await asOwner(app, begin, [seller_id]);
        await fill(shop);
        expect(await factsOf(shop)).toEqual(rolled);
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
