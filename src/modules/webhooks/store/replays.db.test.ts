/** The cost of finding failed or unsent deliveries depends on their number, not on the length of the history. */
import { beforeAll, expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import type { Db, Statement } from '../../../kernel/context.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { countUnsent, countWanted } from './replays.ts';

const app = await startTestApp({ ROLE: 'api' });
const EVENTS = 20_000;

/** Events that were all replayed. Three of them failed. */
const HISTORY = [
  "insert into seller (seller_id, business_name, tax_id, tax_id_check, status, verified, api_access, plan, created_at, updated_at) values ('slr_1', 'B', 1, 'not_abn', 'active', true, true, 'Small', '2026-01-01', '2026-01-01')",
  "insert into outbox (seller_id, event_id, type, object_id, object_version, correlation, created_at, sequence, data) select 'slr_1', 'evt_' || n, 'product.updated', 'prd_1', n, '{}', '2026-01-02', n, '{}' " +
    `from generate_series(1, ${EVENTS}) n`,
  "insert into webhook_endpoint (seller_id, endpoint_id, url, event_types, payload, ordering, max_concurrency, status, status_changed_at, secret, fanned_through, created_at, updated_at) values ('slr_1', 'whe_1', 'https://hooks.example.test/', '{*}', 'full', 'per_object', 10, 'active', '2026-01-01', '', 0, '2026-01-01', '2026-01-01')",
  "insert into webhook_delivery (seller_id, delivery_id, endpoint_id, event_id, sequence, type, object_id, status, trigger, replay_id, last_attempt_at, created_at) select 'slr_1', 'dlv_' || n, 'whe_1', 'evt_' || n, n, 'product.updated', 'prd_1', " +
    `case when n > ${EVENTS} - 2 then 'failed' when n = 1 then 'cancelled' else 'succeeded' end, 'event', 'rpl_0', '2026-01-02', '2026-01-02' from generate_series(1, ${EVENTS}) n`,
  'insert into webhook_replay (seller_id, replay_id, endpoint_id, from_at, to_at, only_failed, through, queued_through, queued, status, total, created_at) ' +
    `values ('slr_1', 'rpl_0', 'whe_1', '2026-01-01', '2026-02-01', false, ${EVENTS}, ${EVENTS}, ${EVENTS}, 'queued', ${EVENTS}, '2026-01-02')`,
  'analyze outbox, webhook_delivery, webhook_replay',
];

const RANGE = { from_at: '2026-01-01T00:00:00Z', to_at: '2026-02-01T00:00:00Z', types: ['product.*'] };
const WANTED = {
  ...{ endpoint_id: 'whe_1', replay_id: 'rpl_1', created_at: '2026-01-03T00:00:00Z' },
  ...RANGE,
  ...{ only_failed: true, through: BigInt(EVENTS) },
};

const statementOf = async (ask: (db: Db) => Promise<unknown>): Promise<Statement<unknown>> => {
  const asked: Statement<unknown>[] = [];
  const db: Db = {
    all: async () => [],
    run: async () => 0,
    later: () => undefined,
    one: async (statement) => {
      asked.push(statement);
      return undefined;
    },
  };
  await ask(db);
  return asked[0] ?? expect.fail('nothing was asked');
};

/** The answer of a statement, and the number of pages that it read. */
async function costOf<Row>(
  ask: (at: SellerDb) => Promise<Row>,
): Promise<{ readonly found: Row; readonly pages: number }> {
  const { text, values } = await statementOf((db) => ask({ db, seller_id: 'slr_1' }));
  return runOn(app.database.adminUrl, async (client) => {
    const { rows } = await client.query(text, [...values]);
    const plan = await client.query(`explain (analyze, buffers, format json) ${text}`, [...values]);
    const top = plan.rows[0]['QUERY PLAN'][0].Plan;
    return { found: rows[0], pages: top['Shared Hit Blocks'] + top['Shared Read Blocks'] };
  });
}

beforeAll(() =>
  runOn(app.database.adminUrl, async (client) => {
    for (const statement of HISTORY) await client.query(statement);
  }),
);

test('a replay of failed deliveries reads only those', async () => {
  const { found, pages } = await costOf((at) => countWanted(at, WANTED));
  expect(found).toEqual({ total: 3 });
  expect(pages).toBeLessThan(50);
});

test('unsent deliveries of a replay are found without reading those of others', async () => {
  const queued = { queued_through: BigInt(EVENTS), queued: EVENTS, status: 'queued', total: EVENTS } as const;
  const row = { ...WANTED, ...queued, only_failed: false };
  const { found, pages } = await costOf((at) => countUnsent(at, row));
  expect(pages).toBeLessThan(50);
  expect(found).toEqual({ all: 0, open: 0, cancelled: 0 });
});
