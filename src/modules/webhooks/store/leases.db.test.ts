/** The cost of the search for work depends on the work, not on the number of endpoints. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import type { Statement } from '../../../kernel/context.ts';
import {
  acquireFromAll,
  acquireWithNewEvents,
  heldEndpoints,
  type Lease,
  lastRound,
  renewLeases,
} from './leases.ts';

const app = await startTestApp({ ROLE: 'api' });
const { withSystem } = app.app.services;
const NOW = Date.parse('2026-06-28T01:00:00Z');
const LEASE: Lease = { owner: 'test', leaseNow: NOW, leaseUntil: NOW + 30_000 };
const SELLERS = 1_000;

/** Two endpoints for each seller, all without work. */
const MANY = [
  'insert into seller (seller_id, business_name, tax_id, tax_id_check, status, verified, api_access, plan, created_at, updated_at) ' +
    `select 'slr_' || g, 'B', g, 'not_abn', 'active', true, true, 'Small', '2026-01-01', '2026-01-01' from generate_series(1, ${SELLERS}) g`,
  `insert into event_sequence (seller_id, last) select 'slr_' || g, 100 from generate_series(1, ${SELLERS}) g`,
  'insert into webhook_endpoint (seller_id, endpoint_id, url, event_types, payload, ordering, max_concurrency, status, status_changed_at, secret, fanned_through, created_at, updated_at) ' +
    "select 'slr_' || g, 'whe_' || g || k, 'https://hooks.example.test/', '{*}', 'full', 'per_object', 10, 'active', '2026-01-01', '', 100, '2026-01-01', '2026-01-01' " +
    `from generate_series(1, ${SELLERS}) g, unnest(array['a', 'b']) k`,
  'analyze seller, event_sequence, webhook_endpoint',
];

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** The number of rows of a table that a statement has read. */
function seen(plan: Plan, table: string): number {
  const own =
    plan['Relation Name'] === table
      ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
      : 0;
  return own + (plan.Plans ?? []).reduce((sum, inner) => sum + seen(inner, table), 0);
}

const endpointsSeen = (statement: Statement<unknown>): Promise<number> =>
  runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('set local role spp_system');
    const text = `explain (analyze, format json) ${statement.text}`;
    const { rows } = await client.query(text, [...statement.values]);
    await client.query('rollback');
    return seen(rows[0]['QUERY PLAN'][0].Plan, 'webhook_endpoint');
  });

test('new events are found at the sellers that have some, not at all endpoints', async () => {
  await runOn(app.database.adminUrl, async (client) => {
    for (const text of MANY) await client.query(text);
  });
  const { round = 0n } = (await withSystem('webhooks', 'read', (db) => db.one(lastRound()))) ?? {};
  const news = acquireWithNewEvents(LEASE, 16, { round, changedAt: NOW });
  expect(await endpointsSeen(news)).toBe(0);
  expect(await endpointsSeen(acquireFromAll(LEASE, 16))).toBeGreaterThanOrEqual(2 * SELLERS);
  await runOn(app.database.adminUrl, async (client) => {
    await client.query("update event_sequence set last = 101, round = $1 where seller_id = 'slr_7'", [
      round + 1n,
    ]);
    // The endpoint was resumed after it had missed events.
    await client.query(
      "update webhook_endpoint set status_changed_at = $1, fanned_through = 99 where endpoint_id = 'whe_8a'",
      [new Date(NOW).toISOString()],
    );
  });
  expect(await endpointsSeen(news)).toBeLessThan(30);
  const taken = await withSystem('webhooks', 'single', (db) => db.all(news));
  expect(taken.map(({ endpoint_id }) => endpoint_id).sort()).toEqual(['whe_7a', 'whe_7b', 'whe_8a']);
  expect(await endpointsSeen(heldEndpoints('test', NOW, taken, 10))).toBeLessThan(30);
  expect(await endpointsSeen(renewLeases('test', NOW + 60_000, taken))).toBeLessThan(30);
});
