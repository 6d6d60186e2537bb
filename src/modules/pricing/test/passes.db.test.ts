/** When products are evaluated, by passes that run at once, and of what. Source: docs/design/pricing.md#passes. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { eventually } from '../../../../test/support/feeds.ts';
import { apply, orderEvent, placeOrder } from '../../../../test/support/orders.ts';
import { pricing } from '../../../../test/support/pricing.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import type { Acting, Standing } from '../../../kernel/context.ts';
import { acting } from '../../../platform/acting.ts';
import { readStanding } from '../../../platform/db/read-standing.ts';
import { runWholePass } from '../actions/run-pass.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-20T00:00:00Z', LOG_LEVEL: 'silent' });
const { now, moveBy, passes, shop, shown, observed, list, get, limit, rule } = pricing(app);
const { services } = app.app;

const inTransaction = (
  { seller_id }: TestSeller,
  work: (ctx: Acting, standing: Standing) => Promise<void>,
): Promise<void> =>
  services.withSellerLong(seller_id, 'write', async (db) => {
    const standing = await readStanding(db, seller_id);
    if (standing !== undefined) await work(acting(services, { db, seller_id }), standing);
  });

/** Waits until so many transactions wait for locks. */
const waiting = (count: number) =>
  eventually(
    () =>
      asOwner(
        app,
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      ),
    ({ length }) => length >= count,
  );

const events = ({ seller_id }: TestSeller) =>
  asOwner(app, "select from outbox where seller_id = $1 and type = 'pricing.recommendations_changed'", [
    seller_id,
  ]);
const jobs = async ({ seller_id }: TestSeller) =>
  (
    await asOwner<{ kind: string }>(
      app,
      "select kind from job where seller_id = $1 and kind like 'pricing.%' order by kind",
      [seller_id],
    )
  ).map(({ kind }) => kind);

async function recommended() {
  const seller = await shop();
  const product = await shown(seller);
  await limit(seller, product.product_id, { floor_minor: 1_900 });
  await rule(seller);
  await apply(app, observed(seller, product.product_id, 2_299));
  return { seller, ...product };
}

test('two first passes at once tell the change once', async () => {
  const { seller } = await recommended();
  let second = Promise.resolve();
  await inTransaction(seller, async (ctx, standing) => {
    await runWholePass(ctx, standing);
    second = inTransaction(seller, runWholePass);
    await waiting(1);
  });
  await second;
  expect(await events(seller)).toHaveLength(1);
});

test('changes are evaluated by short work, which waits for no pass that runs', async () => {
  const { seller, product_id } = await recommended();
  expect(await jobs(seller)).toEqual(['pricing.evaluate', 'pricing.evaluate_all']);
  const long = services.modules.flatMap((module) => module.jobs ?? []) as { kind: string; long?: true }[];
  expect(
    ['pricing.evaluate', 'pricing.evaluate_all'].map((name) => long.find(({ kind }) => kind === name)?.long),
  ).toEqual([undefined, true]);
  await passes();
  await apply(app, observed(seller, product_id, 2_000));
  await inTransaction(seller, async (ctx, standing) => {
    await runWholePass(ctx, standing);
    await moveBy(15_000);
    expect(await jobs(seller)).toEqual(['pricing.evaluate']);
  });
  await passes();
  expect(await jobs(seller)).toEqual([]);
  expect((await list(seller)).data[0]?.evaluation.target_minor).toBe(1_999);
});

test('a seller without orders has a night, after which no old offer is followed', async () => {
  const { seller } = await recommended();
  await passes();
  expect((await list(seller, 'status=recommended')).data).toHaveLength(1);
  await moveBy(2 * 86_400_000);
  const later = await seller.renew();
  expect((await list(later)).data[0]?.evaluation.code).toBe('competition_stale');
  expect((await list(later, 'status=recommended')).data).toEqual([]);
  const file = await later.call('GET', '/pricing/products?status=recommended&format=csv');
  expect(file.text.trim()).toBe('seller_sku,price');
});

test('between two passes a recommendation by an offer of more than a day ago is no longer offered', async () => {
  const { seller, product_id } = await recommended();
  await passes();
  await moveBy(86_400_000);
  const later = await seller.renew();
  expect((await list(later, 'status=recommended')).data).toEqual([]);
  expect((await list(later)).data).toMatchObject([{ evaluation: { status: 'recommended' }, change: null }]);
  expect((await get(later, product_id)).evaluation.code).toBe('competition_stale');
});

test('an observation of the future is rejected, and later ones count', async () => {
  const { seller, product_id } = await recommended();
  const results = await app.events(
    observed(seller, product_id, 1, { observed_at: '2999-01-01T00:00:00Z' }),
    observed(seller, product_id, 1, { observed_at: new Date(now() + 301_000).toISOString() }),
    observed(seller, product_id, 2_200, { observed_at: new Date(now() + 299_000).toISOString() }),
  );
  expect(results).toMatchObject([
    { status: 'rejected', code: 'data_invalid', detail: expect.stringContaining('data/observed_at') },
    { status: 'rejected', code: 'data_invalid' },
    { status: 'applied' },
  ]);
});

test('of two observations of one instant the same one stays in either order', async () => {
  const shownOf = async (featured: readonly number[]) => {
    const { seller, product_id } = await recommended();
    const observed_at = new Date(now() + 1_000).toISOString();
    for (const featured_minor of featured)
      await app.events(observed(seller, product_id, 2_299, { observed_at, featured_minor }));
    return (await get(seller, product_id)).competition;
  };
  expect(await shownOf([2_399, 2_499])).toEqual(await shownOf([2_499, 2_399]));
});

test('offers in another currency are not shown as money of the seller', async () => {
  const { seller, product_id } = await recommended();
  const of = { currency: 'NZD', observed_at: new Date(now() + 1_000).toISOString() };
  await apply(app, observed(seller, product_id, 2_000, of));
  await passes();
  const shownNow = await get(seller, product_id);
  expect(shownNow).toMatchObject({
    competition: null,
    evaluation: { status: 'blocked', code: 'competition_missing' },
    missing_components: ['other_currencies', 'payment_processing', 'supplier_cost'],
  });
  expect(shownNow.steps).not.toContainEqual({ code: 'lowest_offer', value: 2_000 });
  expect(await list(seller)).toMatchObject({
    data: [
      {
        ...{ competition: null, evaluation: { code: 'competition_missing' } },
        missing_components: ['other_currencies', 'supplier_cost'],
      },
    ],
    missing_components: ['other_currencies', 'payment_processing', 'supplier_cost'],
  });
});

test('a rule that gets a name, or the values that it has, asks for no evaluation', async () => {
  const seller = await shop();
  const { rule_id } = (await rule(seller, { scope: { categories: ['A', 'B'] } })).body;
  await passes();
  const asked = async (json: object) => {
    const { status } = await seller.call('PATCH', `/pricing/rules/${rule_id}`, { json });
    const kinds = await jobs(seller);
    await passes();
    return [status, ...kinds];
  };
  expect(await asked({ name: 'Another name' })).toEqual([200]);
  const same = { priority: 10, scope: { categories: ['A', 'B'] }, params: { below_minor: 1 }, active: true };
  expect(await asked(same)).toEqual([200]);
  for (const json of [
    { priority: 9 },
    { scope: { all: true } },
    { params: { below_minor: 2 } },
    { active: false },
  ])
    expect(await asked(json)).toEqual([200, 'pricing.evaluate_all']);
});

test('a whole pass keeps what payment providers take, for the answers until the next one', async () => {
  const { seller, product_id, sku } = await recommended();
  const pay = async (fee: number) => {
    for (let order = 0; order < 30; order += 1) {
      const id = await placeOrder(app, seller, [{ sku, price: 2_000 }]);
      const paid = { charge_id: `ch_${id}`, captured_minor: 2_000, provider_fee_minor: fee };
      await apply(app, orderEvent(app, seller, 'order.payment_captured', id, paid));
    }
  };
  const processing = async () => {
    const { body } = await seller.call<{
      items: { then: { components: { component: string; amount_minor: number | null }[] } }[];
    }>('POST', '/pricing/simulations', { json: { items: [{ product_id, price_minor: 2_000 }] } });
    const found = body.items[0]?.then.components.find(({ component }) => component === 'payment_processing');
    return found?.amount_minor;
  };
  await pay(40);
  await passes();
  expect(await processing()).toBe(40);
  await pay(60);
  await limit(seller, product_id, { floor_minor: 1_800 });
  await passes();
  expect(await processing()).toBe(40);
  await rule(seller);
  await passes();
  expect(await processing()).toBe(50);
});

test('two requests that set limits of the same products in other orders both succeed', async () => {
  const seller = await shop();
  const [first, second] = [await shown(seller), await shown(seller)];
  const items = [first, second].map(({ sku }) => ({ seller_sku: sku, floor_minor: 100 }));
  const send = (given: readonly object[]) =>
    seller.call<{ counts: object }>('POST', '/pricing/guardrails/bulk', { json: { items: given } });
  // A transaction that holds the guardrails of both lets both requests begin.
  await send(items);
  let both: ReturnType<typeof send>[] = [];
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select from price_guardrail where product_id = any($1) for update', [
      [first.product_id, second.product_id],
    ]);
    both = [send(items), send(items.toReversed())];
    await waiting(2);
    await client.query('commit');
  });
  for (const { status, body } of await Promise.all(both))
    expect([status, body.counts]).toEqual([200, { items: 2, updated: 2, failed: 0 }]);
});
