/** `kill -9` while units of an order are routed to a supplier: after the restart they are routed once. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { INTERNAL_TOKEN, prepareCluster } from '../support/cluster.ts';
import { testDatabase } from '../support/pg.ts';
import { runOn } from '../support/test-server.ts';

/** A lock of these tables halts the routing: before its first row, and before its facts. */
const HALTS = ['dropship_order', 'dropship_fact'] as const;

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const start = () => cluster.start({ APP_ENV: 'staging', RATE_LIMITS: 'off', LOG_LEVEL: 'error' });
const rows = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  runOn(database.adminUrl, async (client) => (await client.query<Row>(text, values)).rows);

const HALTED = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ~ $1";
const SUPPLIER = 'sup_killed';
const ITEM = 'sit_killed';
const ROUTED = `
  select d.order_id, l.routed, l.queued, o.supplied,
         (select count(*)::int from dropship_fact f where f.dropship_order_id = d.dropship_order_id) as facts,
         (select count(*)::int from outbox x where x.object_id = d.dropship_order_id) as events
    from dropship_order d
    join dropship_order_line l on l.dropship_order_id = d.dropship_order_id
    join order_line o on o.order_line_id = l.order_line_id
   where d.order_id = $1`;

test('units of an order are routed once, whenever the process dies', async () => {
  let member = await start();
  const { token } = await cluster.seller(member, 'Big');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const [{ seller_id: sellerid } = { seller_id: '' }] = await rows<{ seller_id: string }>(
    'select seller_id from seller',
  );
  const tell = async (type: string, subject: string, data: object): Promise<void> => {
    const time = new Date().toISOString();
    const event = {
      ...{ specversion: '1.0', id: randomUUID(), source: '/kill', type: `marketplace.${type}`, subject },
      ...{ time, data, ...(type.startsWith('supplier.') ? {} : { sellerid }) },
    };
    const answer = await fetch(`${member.internalUrl}/internal/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${INTERNAL_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify([event]),
    });
    expect(await answer.json()).toMatchObject({ results: [{ status: 'applied' }] });
  };
  await tell('supplier.profile_published', SUPPLIER, {
    ...{ name: 'Bondi Clay Works', currency: 'AUD', ships_from: { country: 'AU' }, status: 'active' },
  });
  const item = {
    ...{ supplier_item_id: ITEM, supplier_sku: 'BC-1', title: 'Mug', pack_size: 1, minimum_quantity: 1 },
    price_breaks: [{ min_quantity: 1, pack_price_minor: 1_500 }],
    ...{ dropship: { unit_cost_minor: 1_840, fee_minor: 250 }, status: 'active' },
  };
  await tell('supplier.items_published', SUPPLIER, { items: [item] });
  const made = await fetch(`${member.api}/dropship/listings`, {
    ...{ method: 'POST', headers },
    body: JSON.stringify({ supplier_item_id: ITEM, product: { seller_sku: 'MUG', price_minor: 2_999 } }),
  });
  expect(made.status).toBe(201);
  const as_of = new Date().toISOString();
  await tell('supplier.availability_changed', SUPPLIER, {
    as_of,
    items: [{ supplier_sku: 'BC-1', available: 30 }],
  });
  const counted = () => rows('select 1 from inventory where quantity_on_hand = 25');
  await expect.poll(counted, { timeout: 60_000 }).not.toEqual([]);

  for (const table of HALTS) {
    const order = `ord_${randomUUID().replaceAll('-', '')}`;
    const halting = new pg.Client({ connectionString: database.adminUrl });
    await halting.connect();
    try {
      await halting.query(`begin; lock table ${table} in share mode`);
      const line = { kind: 'item', seller_sku: 'MUG', quantity: 2, unit_price_minor: 2_999 };
      await tell('order.placed', order, { currency: 'AUD', lines: [line] });
      await expect.poll(() => rows(HALTED, [table]), { timeout: 60_000 }).not.toEqual([]);
      await member.end('SIGKILL');
    } finally {
      await halting.end();
    }
    await expect.poll(() => rows(HALTED, [table]), { timeout: 60_000 }).toEqual([]);
    expect(await rows(ROUTED, [order])).toEqual([]);
    // The lease of the dead process would end after half a minute.
    await rows("update job set lease_until = null where kind = 'orders.supplied'");
    member = await start();
    await expect
      .poll(() => rows(ROUTED, [order]), { timeout: 60_000 })
      .toEqual([{ order_id: order, routed: 2, queued: 2, supplied: 2, facts: 1, events: 1 }]);
  }
  await member.end('SIGTERM');
}, 300_000);
