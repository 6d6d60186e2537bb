/**
 * `kill -9` while a store sends: every delivery that was acknowledged is decided once, and what was not is decided when
 * the store sends it again. A level of stock moves the stock once, in the transaction of its decision. Several processes
 * live at the same time, and each is killed as soon as it has acknowledged some deliveries. `STORE_KILLS` is the number
 * of kills, however long they take.
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Member, prepareCluster } from '../support/cluster.ts';
import { testDatabase } from '../support/pg.ts';
import {
  connectByHand,
  type Delivery,
  orderDelivery,
  STORE_SETTINGS,
  sendDelivery,
} from '../support/store-by-hand.ts';
import { runOn } from '../support/test-server.ts';

const KILLS = Number(process.env['STORE_KILLS'] ?? 8);
/** Processes at the same time. */
const LIVES = 3;
/** Of each process. */
const SENDERS = 4;
/** Deliveries that a process acknowledges before it is killed. */
const BEFORE_KILL = 8;
const SHOP = 'kill.myshopify.com';
const LOCATION = '7';
/** Products whose levels are sent. */
const ITEMS = 4;
const DECIDED_MS = 90_000;
/** A busy machine kills less often. */
const KILLING_MS = process.env['STORE_KILLS'] === undefined ? 20_000 : Number.POSITIVE_INFINITY;

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const start = (): Promise<Member> =>
  cluster.start({ RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ...STORE_SETTINGS });
const ask = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  runOn(database.adminUrl, async (client) => (await client.query<Row>(text, [...values])).rows);

/** Products that are linked to items of the store, as an import would have linked them. */
async function stockUp({ api }: Member, token: string): Promise<void> {
  const rule = { no: 0, open: [LOCATION], closed: [], mode: 'pool', moves: false };
  await ask('update channel set selected_locations = array[$1], counting = $2', [
    LOCATION,
    JSON.stringify([rule]),
  ]);
  await ask(
    `insert into channel_location (seller_id, channel_id, location_id, name, active)
     select seller_id, channel_id, $1, 'Sydney', true from channel`,
    [LOCATION],
  );
  for (let item = 1; item <= ITEMS; item += 1) {
    const identity = { strategy: 'exempt', reason: 'handmade' };
    const made = await fetch(`${api}/products`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ seller_sku: `MUG-${item}`, title: `Mug ${item}`, identity, price_minor: 2_499 }),
    });
    const { product_id } = (await made.json()) as { product_id: string };
    await ask(
      `insert into channel_link (seller_id, link_id, channel_id, external_product_id, external_variant_id,
              inventory_item_id, title, product_id, state, external_updated_at, content_sha256, asked_in,
              created_at, updated_at)
       select seller_id, 'lnk_' || $1, channel_id, $1, $1, $1, 'Mug', $2, 'linked', '2026-07-01', '', 1,
              '2026-07-01', '2026-07-01'
         from channel`,
      [String(item), product_id],
    );
  }
}

const AT = Date.parse('2026-07-01T00:00:00Z');
const order = (id: number): Delivery => ({ webhookId: randomUUID(), ...orderDelivery(id) });
/** A later level has a larger quantity. */
const level = (serial: number): Delivery => ({
  webhookId: randomUUID(),
  topic: 'inventory_levels/update',
  body: JSON.stringify({
    ...{ inventory_item_id: 1 + (serial % ITEMS), location_id: Number(LOCATION), available: serial },
    updated_at: new Date(AT + serial).toISOString(),
  }),
});
const send = ({ url }: Member, one: Delivery) => sendDelivery(url, SHOP, one);

test(`deliveries are decided once after up to ${KILLS} kills`, { timeout: 300_000 }, async () => {
  const acknowledged: Delivery[] = [];
  const open: Delivery[] = [];
  let serial = 0;
  let kills = 0;
  /** The process acknowledges some deliveries, and dies. */
  const live = async (member: Member): Promise<void> => {
    let answered = 0;
    const sender = async (): Promise<void> => {
      while (answered < BEFORE_KILL) {
        serial += 1;
        const one = open.pop() ?? (serial % 2 === 0 ? order(serial) : level(Math.floor(serial / 2)));
        if ((await send(member, one)) !== 200) {
          open.push(one);
          continue;
        }
        acknowledged.push(one);
        answered += 1;
        if (answered === BEFORE_KILL) await member.end('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
  };
  const liveAndDie = async (): Promise<void> => {
    while (kills < KILLS && performance.now() < until) {
      kills += 1;
      await live(await start());
    }
  };
  const first = await start();
  const { token } = await cluster.seller(first, 'Free');
  const [seller] = await ask<{ seller_id: string }>('select seller_id from seller');
  await connectByHand(ask, seller?.seller_id ?? '', SHOP);
  await stockUp(first, token);
  await first.end('SIGTERM');
  const until = performance.now() + KILLING_MS;
  await Promise.all(Array.from({ length: LIVES }, liveAndDie));
  // No process is left that could hold a lease, so the test does not wait for the ends of leases.
  await ask('update job set lease_until = null where lease_until is not null');
  const member = await start();
  for (const one of open) expect(await send(member, one)).toBe(200);
  const waiting = async () =>
    (await ask<{ n: number }>("select count(*)::int as n from channel_delivery where status = 'received'"))[0]
      ?.n;
  await expect.poll(waiting, { timeout: DECIDED_MS, interval: 250 }).toBe(0);
  const rows = await ask<{ webhook_id: string; status: string; topic: string }>(
    'select webhook_id, status, topic from channel_delivery',
  );
  const sent = [...acknowledged, ...open].map(({ webhookId }) => webhookId);
  expect(rows.map(({ webhook_id }) => webhook_id).sort()).toEqual([...new Set(sent)].sort());
  const [orders, levels] = ['orders/create', 'inventory_levels/update'].map((topic) =>
    rows.filter((row) => row.topic === topic).map(({ status }) => status),
  );
  expect(new Set(orders)).toEqual(new Set(['recorded']));
  expect((await ask<{ n: number }>('select count(*)::int as n from store_order'))[0]?.n).toBe(orders?.length);
  expect(levels?.filter((status) => status !== 'applied' && status !== 'stale')).toEqual([]);
  const applied = levels?.filter((status) => status === 'applied').length;
  const [changes] = await ask<{ n: number; deliveries: number }>(
    `select count(*)::int as n, count(distinct delivery_id)::int as deliveries
       from product_change where actor_kind = 'channel'`,
  );
  expect(changes).toEqual({ n: applied, deliveries: applied });
  const stock = await ask<{ item: string; on_hand: number }>(
    `select l.inventory_item_id as item, i.quantity_on_hand as on_hand
       from channel_link l join inventory i using (seller_id, product_id)
      order by 1`,
  );
  const last = new Map<string, number>();
  for (const { topic, body } of [...acknowledged, ...open]) {
    if (topic === 'orders/create') continue;
    const { inventory_item_id: item, available } = JSON.parse(body) as Record<string, number>;
    last.set(String(item), Math.max(last.get(String(item)) ?? 0, available ?? 0));
  }
  expect(stock.map(({ item, on_hand }) => [item, on_hand])).toEqual([...last].sort());
  await member.end('SIGTERM');
});
