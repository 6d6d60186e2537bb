/** The cost of the search for changed products depends on the changes, not on the number of sellers. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { runOn } from '../../../../test/support/test-server.ts';
import { lastRound, sellersToRefresh } from '../store/listings.ts';

const app = await startTestApp({ ROLE: 'api' });
const { withSystem } = app.app.services;
const SELLERS = 1_000;
const BEHIND = 150;

/** Sellers whose events were all followed. */
const MANY = [
  'insert into seller (seller_id, business_name, tax_id, tax_id_check, status, verified, api_access, plan, created_at, updated_at) ' +
    `select 'slr_' || g, 'B', g, 'not_abn', 'active', true, true, 'Small', '2026-01-01', '2026-01-01' from generate_series(1, ${SELLERS}) g`,
  `insert into event_sequence (seller_id, last) select 'slr_' || g, 100 from generate_series(1, ${SELLERS}) g`,
  'insert into quality_progress (seller_id, sequence, filled_to, sums, refreshed_at) ' +
    `select 'slr_' || g, 100, null, '{}', timestamptz '2026-01-01' + make_interval(secs => ${SELLERS} - g) from generate_series(1, ${SELLERS}) g`,
  'analyze seller, event_sequence, quality_progress',
];

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}
/** The rows that all nodes of a plan have read. */
const read = (plan: Plan): number =>
  (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] +
  (plan.Plans ?? []).reduce((sum, inner) => sum + read(inner), 0);

test('changed sellers are found by the round of their events, the one that has waited longest first', async () => {
  await runOn(app.database.adminUrl, async (client) => {
    for (const text of MANY) await client.query(text);
  });
  const round = await withSystem('jobs', 'read', lastRound);
  const changed = sellersToRefresh(round);
  const rowsRead = () =>
    runOn(app.database.adminUrl, async (client) => {
      await client.query('begin');
      await client.query('set local role spp_system');
      const { rows } = await client.query(`explain (analyze, format json) ${changed.text}`, [
        ...changed.values,
      ]);
      await client.query('rollback');
      return read(rows[0]['QUERY PLAN'][0].Plan);
    });
  expect(await rowsRead()).toBe(0);
  await runOn(app.database.adminUrl, (client) =>
    client.query(
      `update event_sequence set last = 101, round = $1
        where seller_id = any(select 'slr_' || g from generate_series(1, ${BEHIND}) g)`,
      [round + 1n],
    ),
  );
  await runOn(app.database.adminUrl, (client) =>
    client.query("update quality_progress set refreshed_at = null where seller_id = 'slr_7'"),
  );
  const found = (await withSystem('jobs', 'read', (db) => db.all(changed))).map(({ seller_id }) => seller_id);
  expect(found).toHaveLength(BEHIND);
  expect(found.slice(0, 3)).toEqual(['slr_7', `slr_${BEHIND}`, `slr_${BEHIND - 1}`]);
  expect(found.at(-1)).toBe('slr_1');
  // No row of the sellers without news.
  expect(await rowsRead()).toBeLessThan(BEHIND * 10);
});
