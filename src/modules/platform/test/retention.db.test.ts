import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { dropshipShop, routedOrder } from '../../../../test/support/dropship.ts';
import { applied, goodsFile, WRITTEN_EVENTS } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { draftOrder } from '../../../../test/support/purchases.ts';
import { makeRfq, newSupplier, openRfq, quote } from '../../../../test/support/sourcing.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const DAY_MS = 24 * 3_600_000;

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-06-28T01:00:00Z' });

/** The time limit of a test that executes a month of jobs. */
const LONG = { timeout: 180_000 };

const count = (table: string): Promise<number> =>
  runOn(app.database.adminUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${table}`);
    return rows[0]?.count ?? 0;
  });
const forward = (days: number) =>
  callInternal(app, 'POST', '/internal/v1/clock', {
    body: { now: new Date(app.app.services.now() + days * DAY_MS).toISOString() },
  });

test('idempotency keys are deleted after thirty days, sessions a day after their end', LONG, async () => {
  const seller = await app.seller({ plan: 'Small' });
  const json = { email: 'kim@example.com', roles: ['viewer'] };
  const headers = { 'idempotency-key': 'k1' };
  const invite = async () => (await seller.renew()).call('POST', '/sellers/me/members', { json, headers });
  expect((await invite()).status).toBe(201);
  await forward(2);
  expect(await count('auth_session')).toBe(0);
  await forward(27.9);
  expect(await count('idempotency_key')).toBe(1);
  expect((await invite()).headers.get('idempotent-replayed')).toBe('true');
  await forward(1.1);
  expect(await count('idempotency_key')).toBe(0);
  // The key is free again. The first invitation has expired, so the request makes another one.
  const again = await invite();
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
});

test('rate windows are deleted after their end on the machine’s clock, even more than one statement takes', async () => {
  await runOn(app.database.adminUrl, async (client) => {
    const rows = (prefix: string, expires: string) =>
      `select '${prefix}' || n, n, 1, clock_timestamp() ${expires} from generate_series(1, 12000) n`;
    await client.query(`insert into rate_window ${rows('old', "- interval '1 second'")}`);
    await client.query(`insert into rate_window ${rows('live', "+ interval '1 hour'")}`);
  });
  await forward(1);
  expect(await count("rate_window where key like 'old%'")).toBe(0);
  expect(await count("rate_window where key like 'live%'")).toBe(12_000);
});

test('events and their objects are deleted after thirty days', LONG, async () => {
  const seller = await app.seller();
  await applied(seller, goodsFile(2, 'mug'));
  await expect.poll(() => count('outbox_bulk')).toBe(0);
  await seller.call('GET', '/webhooks/events?types=product.*');
  const shown = await count('event_object');
  expect(shown).toBeGreaterThanOrEqual(2);
  const written = await count(WRITTEN_EVENTS);
  expect(written).toBeGreaterThan(0);
  await forward(28.5);
  expect(await count(WRITTEN_EVENTS)).toBe(written);
  expect(await count('event_object')).toBe(shown);
  await forward(2.5);
  expect(await count(WRITTEN_EVENTS)).toBe(0);
  expect(await count('event_object')).toBe(0);
});

test('requests for quotation are deleted with their quotes 25 months after their last change', async () => {
  const seller = await app.seller();
  const supplier = await newSupplier(app);
  const [old, young] = [await openRfq(app, seller, [supplier]), await openRfq(app, seller, [supplier])];
  for (const rfq of [old, young]) expect(await quote(app, seller, rfq, supplier)).toBe('applied');
  const age = (id: string, days: number) =>
    runOn(app.database.adminUrl, (client) =>
      client.query("update rfq set updated_at = updated_at - $2 * interval '1 day' where rfq_id = $1", [
        id,
        days,
      ]),
    );
  await age(old.rfq_id, 763);
  await age(young.rfq_id, 761);
  await forward(1);
  const again = await seller.renew();
  expect((await again.call('GET', `/sourcing/rfqs/${old.rfq_id}`)).status).toBe(404);
  expect((await again.call('GET', `/sourcing/rfqs/${young.rfq_id}`)).status).toBe(200);
  expect(await count('rfq_quote')).toBe(1);
});

test('purchases and dropship orders are deleted after 7 years, discontinued items that no seller names after one', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const suppliers = await Promise.all(Array.from({ length: 7 }, () => newSupplier(app)));
  const [bought, listed, old, young, sold, asked, quoted] = suppliers.map((one) => one.supplier_item_id);
  const [first, wanted, quoting] = [suppliers[0], suppliers[5], suppliers[6]];
  if (first === undefined || wanted === undefined || quoting === undefined) throw new Error('no supplier');
  await makeRfq(app, seller, [wanted], { lines: [{ supplier_item_id: asked, quantity: 48 }] });
  await quote(app, seller, await openRfq(app, seller, [quoting]), quoting);
  const [kept, gone, open] = [
    await draftOrder(seller, first),
    await draftOrder(seller, first),
    await draftOrder(seller, first),
  ];
  const { dropship } = await routedOrder(app, await dropshipShop(app, 9, seller));
  await runOn(app.database.adminUrl, async (client) => {
    const days = (table: string, id: string, ago: number, more = '') =>
      client.query(
        `update ${table} set updated_at = $2::timestamptz - $3 * interval '1 day' ${more} where ${table}_id = $1`,
        [id, new Date(app.app.services.now()).toISOString(), ago],
      );
    // Nothing follows the order any more.
    await client.query("delete from job where kind in ('orders.supplied', 'orders.timers')");
    await client.query(
      `insert into purchase_fact (seller_id, purchase_order_id, fact_id, happened_at, fact, actor, recorded_at)
       select seller_id, purchase_order_id, 'submit', now(), '{"kind": "submitted"}', '{}', now() from purchase_order`,
    );
    const ended = ", status = 'cancelled', submitted_at = now()";
    await days('purchase_order', kept.purchase_order_id, 2_556, ended);
    await days('purchase_order', gone.purchase_order_id, 2_558, ended);
    await days('purchase_order', open.purchase_order_id, 2_558, ended.replace('cancelled', 'confirmed'));
    await days('dropship_order', dropship.dropship_order_id, 2_558, ", status = 'shipped'");
    await client.query('update dropship_listing set supplier_item_id = $1 where seller_id = $2', [
      listed,
      seller.seller_id,
    ]);
    for (const id of [bought, listed, old, sold, asked, quoted])
      await days('supplier_item', id ?? '', 368, id === sold ? '' : ", status = 'discontinued'");
    await days('supplier_item', young ?? '', 364, ", status = 'discontinued'");
  });
  await forward(1);
  expect(await count('purchase_order')).toBe(2);
  expect(await count('purchase_fact')).toBe(2);
  expect([await count('dropship_order'), await count('dropship_fact')]).toEqual([0, 0]);
  const items = suppliers.map(({ supplier_item_id }) => `'${supplier_item_id}'`).join();
  expect(await count(`supplier_item where supplier_item_id in (${items})`)).toBe(6);
  expect(await count(`supplier_item where supplier_item_id = '${old}'`)).toBe(0);
});
