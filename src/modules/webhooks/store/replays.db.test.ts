/** Finding what has failed costs what has failed, not what has happened. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import type { Db, Statement } from '../../../kernel/context.ts';
import { countWanted } from './replays.ts';

const app = await startTestApp({ ROLE: 'api' });
const EVENTS = 20_000;

/** Events that were all delivered, but for three. */
const HISTORY = [
  "insert into seller (seller_id, business_name, tax_id, tax_id_check, status, verified, api_access, plan, created_at, updated_at) values ('slr_1', 'B', 1, 'not_abn', 'active', true, true, 'Small', '2026-01-01', '2026-01-01')",
  "insert into outbox (seller_id, event_id, type, object_id, object_version, correlation, created_at, sequence, data) select 'slr_1', 'evt_' || n, 'product.updated', 'prd_1', n, '{}', '2026-01-02', n, '{}' " +
    `from generate_series(1, ${EVENTS}) n`,
  "insert into webhook_endpoint (seller_id, endpoint_id, url, event_types, payload, ordering, max_concurrency, status, status_changed_at, secret, fanned_through, created_at, updated_at) values ('slr_1', 'whe_1', 'https://hooks.example.test/', '{*}', 'full', 'per_object', 10, 'active', '2026-01-01', '', 0, '2026-01-01', '2026-01-01')",
  "insert into webhook_delivery (seller_id, delivery_id, endpoint_id, event_id, sequence, type, object_id, status, trigger, created_at) select 'slr_1', 'dlv_' || n, 'whe_1', 'evt_' || n, n, 'product.updated', 'prd_1', " +
    `case when n > ${EVENTS} - 2 then 'failed' when n = 1 then 'cancelled' else 'succeeded' end, 'event', '2026-01-02' from generate_series(1, ${EVENTS}) n`,
  'analyze outbox, webhook_delivery',
];

const statementOf = async (): Promise<Statement<unknown>> => {
  const asked: Statement<unknown>[] = [];
  const db: Db = {
    all: async () => [],
    run: async () => 0,
    one: async (statement) => {
      asked.push(statement);
      return undefined;
    },
  };
  const range = { from_at: '2026-01-01T00:00:00Z', to_at: '2026-02-01T00:00:00Z', types: ['product.*'] };
  const of = {
    seller_id: 'slr_1',
    endpoint_id: 'whe_1',
    replay_id: 'rpl_1',
    created_at: '2026-01-03T00:00:00Z',
  };
  await countWanted(db, { ...of, ...range, only_failed: true, through: BigInt(EVENTS) });
  return asked[0] ?? expect.fail('nothing was asked');
};

test('a replay of what has failed looks at that only', async () => {
  const { text, values } = await statementOf();
  const { found, pages } = await runOn(app.database.adminUrl, async (client) => {
    for (const statement of HISTORY) await client.query(statement);
    const { rows } = await client.query(text, [...values]);
    const plan = await client.query(`explain (analyze, buffers, format json) ${text}`, [...values]);
    const top = plan.rows[0]['QUERY PLAN'][0].Plan;
    return { found: rows[0].total, pages: top['Shared Hit Blocks'] + top['Shared Read Blocks'] };
  });
  expect(found).toBe(3);
  expect(pages).toBeLessThan(50);
});
