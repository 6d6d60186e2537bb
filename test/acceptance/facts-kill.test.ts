/** `kill -9` in the middle of a night: after the restart the facts equal what the orders make of them, and every step has run. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { INTERNAL_TOKEN, prepareCluster } from '../support/cluster.ts';
import { testDatabase } from '../support/pg.ts';
import { runOn } from '../support/test-server.ts';

/** A lock of these tables halts the night: while the facts are filled, and in the first and the second step. */
const HALTS = ['fact_outage', 'insight_snapshot', 'forecast_product'] as const;
const DAY_MS = 86_400_000;

const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const start = () => cluster.start({ APP_ENV: 'staging', RATE_LIMITS: 'off', LOG_LEVEL: 'error' });
const rows = <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  runOn(database.adminUrl, async (client) => (await client.query<Row>(text, values)).rows);

const FACTS = `
  select day::text, product_id, demand_units, ordered_units, ordered_minor::int, other_units
    from fact_sku_day order by 1, 2`;
const MADE = `
  select (placed_at at time zone 'Australia/Sydney')::date::text as day, product_id,
         sum(wanted)::int as demand_units, sum(ordered)::int as ordered_units,
         sum(net_minor)::int as ordered_minor, 0 as other_units
    from v_orders_ordered group by 1, 2 order by 1, 2`;
const HALTED = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ~ $1";

test('a night that is killed while it fills the facts or runs a step is made up after the restart', async () => {
  let member = await start();
  const { token } = await cluster.seller(member, 'Big');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const [{ seller_id } = { seller_id: '' }] = await rows<{ seller_id: string }>(
    'select seller_id from seller',
  );
  const tell = async (type: string, subject: string, data: object): Promise<void> => {
    const event = {
      ...{ specversion: '1.0', id: randomUUID(), source: '/facts-kill', type: `marketplace.${type}` },
      ...{ subject, sellerid: seller_id, time: new Date().toISOString(), data },
    };
    const answer = await fetch(`${member.internalUrl}/internal/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${INTERNAL_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify([event]),
    });
    expect(await answer.json()).toMatchObject({ results: [{ status: 'applied' }] });
  };
  const account_flags = ['pricing'];
  await tell('seller.standing_changed', seller_id, { verified: true, api_access: true, account_flags });
  const product = { seller_sku: 'MUG', status: 'draft' };
  const made = await fetch(`${member.api}/products`, {
    method: 'POST',
    headers,
    body: JSON.stringify(product),
  });
  expect(made.status).toBe(201);

  for (const [kill, table] of HALTS.entries()) {
    for (const daysAgo of [kill + 1, 9]) {
      const placed_at = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
      const line = { kind: 'item', seller_sku: 'MUG', quantity: kill + 1, unit_price_minor: 2_000 };
      const buyer = { customer_ref: randomUUID() };
      const order = `ord_${randomUUID().replaceAll('-', '')}`;
      await tell('order.placed', order, { currency: 'AUD', placed_at, buyer, lines: [line] });
    }
    const before = await rows(FACTS);
    await rows('delete from insight_snapshot');
    const halting = new pg.Client({ connectionString: database.adminUrl });
    await halting.connect();
    try {
      await halting.query(`begin; lock table ${table} in share mode`);
      // A payload that is not there makes the night due.
      expect((await fetch(`${member.api}/forecasting/summary`, { headers })).status).toBe(200);
      await expect.poll(() => rows(HALTED, [table]), { timeout: 30_000 }).not.toEqual([]);
      await member.end('SIGKILL');
    } finally {
      await halting.end();
    }
    await expect.poll(() => rows(HALTED, [table]), { timeout: 30_000 }).toEqual([]);
    expect(await rows(FACTS)).toEqual(table === 'fact_outage' ? before : await rows(MADE));
    // The lease of the dead process would end after half a minute.
    const [job] = await rows(
      "update job set lease_until = null where kind = 'facts.roll' returning 1 as one",
    );
    expect(job).toBeDefined();
    const [{ now } = { now: '' }] = await rows<{ now: string }>('select now()::text as now');
    member = await start();
    const left = () => rows("select 1 from job where kind = 'facts.roll'");
    await expect.poll(left, { timeout: 60_000 }).toEqual([]);
    expect(await rows(FACTS)).toEqual(await rows(MADE));
    const steps = `select distinct split_part(contract, '.', 1) as area from insight_snapshot
                    where generated_at >= $1::timestamptz order by 1`;
    expect((await rows<{ area: string }>(steps, [now])).map(({ area }) => area)).toEqual([
      ...['customer-analytics', 'forecasting', 'pricing', 'quality'],
    ]);
  }
  await member.end('SIGTERM');
}, 300_000);
