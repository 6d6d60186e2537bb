/**
 * `kill -9` at random instants while orders arrive and sellers work on them, on two processes and one database: no
 * order and no action is lost, half done or done twice, the stock agrees, and the numbers of the events have no gap.
 * `ORDER_KILLS` is the number of kills.
 */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { INTERNAL_TOKEN, type Member, prepareCluster } from '../support/cluster.ts';
import { csv, eventually, goods } from '../support/feeds.ts';
import { testDatabase } from '../support/pg.ts';
import { runOn } from '../support/test-server.ts';

const KILLS = Number(process.env['ORDER_KILLS'] ?? 4);
const ORDERS = 100;
const STOCK = 500;
/** Orders that are worked on at the same time. */
const CONCURRENT = 8;

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const start = (): Promise<Member> => cluster.start({ RATE_LIMITS: 'off', LOG_LEVEL: 'warn' });
/** The test kills both in turn; a request goes to the one that runs. */
const members: (Member | undefined)[] = await Promise.all([start(), start()]);

async function here(): Promise<Member> {
  return eventually(
    async () =>
      members[Math.floor(Math.random() * members.length)] ?? members.find((one) => one !== undefined),
    (member) => member !== undefined,
  ) as Promise<Member>;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends the same request to a running process until it gets a final answer. */
async function settled(request: (at: Member) => readonly [url: string, init: RequestInit]): Promise<Answer> {
  for (;;) {
    const [url, init] = request(await here());
    try {
      const response = await fetch(url, init);
      const body = (await response.json()) as Answer['body'];
      const again = response.status >= 500 || body['code'] === 'idempotency_in_progress';
      if (!again) return { status: response.status, body };
    } catch {
      // The process has died; the outcome is unknown.
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

const first = await here();
const { token } = await cluster.seller(first, 'Small');
const post = (path: string, key: string, body: object): Promise<Answer> =>
  settled((at) => [
    `${at.api}${path}`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
    },
  ]);

async function sellerId(): Promise<string> {
  const response = await fetch(`${first.api}/sellers/me`, { headers: { authorization: `Bearer ${token}` } });
  return ((await response.json()) as { seller_id: string }).seller_id;
}
const seller = await sellerId();

const placement = (number: number): object => ({
  specversion: '1.0',
  id: `placed-${number}`,
  source: '/order-kill',
  type: 'marketplace.order.placed',
  subject: `ord_kill${number}`,
  sellerid: seller,
  time: '2026-06-28T01:00:00Z',
  data: {
    order_number: `K-${number}`,
    currency: 'AUD',
    placed_at: '2026-06-28T01:00:00Z',
    buyer: { alias: 'buyer_1', customer_ref: 'cus_1' },
    ship_to: {
      name: 'Mia',
      line1: '1 George Street',
      city: 'Sydney',
      state: 'NSW',
      postcode: '2000',
      country: 'AU',
    },
    lines: [
      { kind: 'item', seller_sku: 'MUG', quantity: 2, unit_price_minor: 2_499 },
      { kind: 'shipping', unit_price_minor: 995 },
    ],
  },
});

/** Places an order and takes it to its hand-over; half of the units are packed first. */
async function work(number: number): Promise<void> {
  const placed = await settled((at) => [
    `${at.internalUrl}/internal/v1/events`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${INTERNAL_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(placement(number)),
    },
  ]);
  expect(placed.body).toMatchObject({ results: [{ status: expect.toBeOneOf(['applied', 'duplicate']) }] });
  const path = `/orders/ord_kill${number}`;
  const accepted = await post(`${path}/accept`, `accept-${number}`, {});
  expect(accepted, JSON.stringify(accepted.body)).toMatchObject({
    status: 200,
    body: { status: 'accepted' },
  });
  const packed = await post(`${path}/shipments`, `pack-${number}`, {});
  expect(packed.status, JSON.stringify(packed.body)).toBe(201);
  const sent = await post(`${path}/shipments/${packed.body['shipment_id']}/dispatch`, `send-${number}`, {
    carrier: 'australia_post',
    tracking_number: '2JD020603601000931508',
  });
  expect(sent.status, JSON.stringify(sent.body)).toBe(200);
}

const FOUND = `select
  (select count(*)::int from sales_order where seller_id = s) as orders,
  (select count(*)::int from sales_order where seller_id = s and status = 'shipped') as shipped,
  (select json_object_agg(action, n) from (select action, count(*)::int as n from order_event where seller_id = s group by action) a) as actions,
  (select count(*)::int from order_shipment where seller_id = s) as shipments,
  (select json_build_array(quantity_on_hand, quantity_reserved) from inventory where seller_id = s) as stock,
  (select json_object_agg(type, n) from (select type, count(*)::int as n from outbox where seller_id = s and type in ('order.created', 'order.accepted', 'order.shipped') group by type) e) as events,
  (select count(*)::int from outbox where seller_id = s and sequence is null) as unnumbered,
  (select count(*) = max(sequence) and count(*) = count(distinct sequence) from outbox where seller_id = s and sequence > 0) as gapless
  from (select $1::text as s) seller`;
const found = (): Promise<Record<string, unknown>> =>
  runOn(
    database.adminUrl,
    async (client) => (await client.query(FOUND, [seller])).rows[0] as Record<string, unknown>,
  );

test(`${ORDERS} orders are placed, accepted, packed and sent once each, over ${KILLS} kills`, async () => {
  const fed = await settled((at) => [
    `${at.api}/products/feed-runs`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'text/csv',
        'idempotency-key': randomUUID(),
      },
      body: csv([goods('MUG', { quantity: STOCK })]),
    },
  ]);
  expect(fed.status).toBe(201);

  let done = 0;
  const numbers = Array.from({ length: ORDERS }, (_, index) => index)[Symbol.iterator]();
  const hand = async (): Promise<void> => {
    for (const number of numbers) {
      await work(number);
      done += 1;
    }
  };
  const working = Promise.all(Array.from({ length: CONCURRENT }, hand));
  const killing = (async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const after = ((kill + Math.random()) * ORDERS) / KILLS;
      await eventually(
        async () => done,
        (now) => now >= Math.min(after, ORDERS - 1),
        300_000,
      );
      const place = kill % members.length;
      const victim = members[place];
      members[place] = undefined;
      await victim?.end('SIGKILL');
      members[place] = await start();
    }
  })();
  await Promise.all([working, killing]);

  const all = await eventually(found, ({ unnumbered }) => unnumbered === 0);
  expect(all).toMatchObject({
    orders: ORDERS,
    shipped: ORDERS,
    shipments: ORDERS,
    stock: [STOCK - ORDERS * 2, 0],
    events: { 'order.created': ORDERS, 'order.accepted': ORDERS, 'order.shipped': ORDERS },
    gapless: true,
  });
  expect(new Set(Object.values(all['actions'] as Record<string, number>))).toEqual(new Set([ORDERS]));
}, 600_000);
