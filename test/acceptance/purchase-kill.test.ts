/** `kill -9` in the middle of a receipt: nothing of it is left, and the same request books it once. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { INTERNAL_TOKEN, prepareCluster } from '../support/cluster.ts';
import { testDatabase } from '../support/pg.ts';
import { ADDRESS } from '../support/purchases.ts';
import { runOn } from '../support/test-server.ts';

/** A lock of this table halts the booking after the receipt, its fact and the line, when the stock has moved. */
const HALT = 'product_change';

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const start = () => cluster.start({ APP_ENV: 'staging', RATE_LIMITS: 'off', LOG_LEVEL: 'error' });
const rows = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  runOn(database.adminUrl, async (client) => (await client.query<Row>(text, values)).rows);

interface Made {
  readonly product_id?: string;
  readonly purchase_order_id?: string;
  readonly lines?: readonly { readonly purchase_line_id: string }[];
}
const HALTED = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ~ $1";
const BOOKED = `
  select (select count(*)::int from receipt) as receipts,
         (select sum(received)::int from purchase_line) as received,
         (select sum(quantity_on_hand)::int from inventory) as on_hand,
         (select count(*)::int from purchase_fact where fact ->> 'kind' = 'received') as facts,
         (select count(*)::int from outbox where type = 'receipt.recorded') as events`;

test('a receipt is booked whole or not at all when the process dies', async () => {
  let member = await start();
  const { token } = await cluster.seller(member, 'Big');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send = (path: string, body: object, more: object = {}) =>
    fetch(`${member.api}${path}`, {
      ...{ method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) },
    });
  const made = async (path: string, body: object): Promise<Made> => {
    const answer = await send(path, body);
    expect([path, answer.status]).toEqual([path, expect.toSatisfy((status) => status < 300)]);
    return (await answer.json()) as Made;
  };
  const item = {
    ...{ supplier_item_id: 'sit_killed', supplier_sku: 'BC-1', title: 'Mug', pack_size: 1 },
    ...{ minimum_quantity: 1, price_breaks: [{ min_quantity: 1, pack_price_minor: 1_500 }] },
    status: 'active',
  };
  const profile = { name: 'Bondi', currency: 'AUD', ships_from: { country: 'AU' }, flat_freight_minor: 0 };
  for (const [type, data] of [
    ['profile_published', { ...profile, status: 'active' }],
    ['items_published', { items: [item] }],
  ] as const) {
    const event = {
      ...{ specversion: '1.0', id: randomUUID(), source: '/kill', subject: 'sup_killed', data },
      ...{ type: `marketplace.supplier.${type}`, time: new Date().toISOString() },
    };
    const answer = await fetch(`${member.internalUrl}/internal/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${INTERNAL_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify([event]),
    });
    expect(await answer.json()).toMatchObject({ results: [{ status: 'applied' }] });
  }
  const { product_id } = await made('/products', {
    ...{ seller_sku: 'MUG', title: 'Mug', status: 'draft', quantity_on_hand: 0 },
  });
  const lines = [{ supplier_item_id: 'sit_killed', quantity: 50, product_id }];
  const draft = await made('/wholesale/purchase-orders', {
    ...{ supplier_id: 'sup_killed', lines, ship_to: ADDRESS },
  });
  const path = `/wholesale/purchase-orders/${draft.purchase_order_id}`;
  const order = await made(`${path}/submit`, {});

  const receipt = {
    ...{ reference: 'DKT-8812', received_at: new Date().toISOString() },
    lines: [{ purchase_line_id: order.lines?.[0]?.purchase_line_id, good: 10 }],
  };
  const key = { 'idempotency-key': 'docket-8812' };
  const book = () => send(`${path}/receipts`, receipt, key);
  const [before] = await rows(BOOKED);
  const halting = new pg.Client({ connectionString: database.adminUrl });
  await halting.connect();
  try {
    await halting.query(`begin; lock table ${HALT} in share mode`);
    const lost = book().catch(() => undefined);
    await expect.poll(() => rows(HALTED, [HALT]), { timeout: 60_000 }).not.toEqual([]);
    await member.end('SIGKILL');
    expect(await lost).toBeUndefined();
  } finally {
    await halting.end();
  }
  await expect.poll(() => rows(HALTED, [HALT]), { timeout: 60_000 }).toEqual([]);
  expect(await rows(BOOKED)).toEqual([before]);
  member = await start();
  const [first, again] = [await book(), await book()];
  expect([first.status, again.status, await again.text()]).toEqual([201, 201, await first.text()]);
  expect(await rows(BOOKED)).toEqual([{ receipts: 1, received: 10, on_hand: 10, facts: 1, events: 1 }]);
  await member.end('SIGTERM');
});
