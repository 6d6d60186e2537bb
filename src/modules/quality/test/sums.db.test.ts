/** The sums of the days of a window, over HTTP. Source: docs/design/quality.md#performance. */
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { asOwner } from '../../../../test/support/audit.ts';
import { metricsOf as readMetrics } from '../../../../test/support/performance.ts';
import { night } from '../../../../test/support/quality.ts';
import { metricsOf } from '../actions/performance.ts';

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-07-31T02:00:00Z' });

test('the database sums the days of a window, apart for each target', async () => {
  const seller = await app.seller();
  const { seller_id } = seller;
  // Ten days each of 100, 200 and 600; the other metrics have the default.
  await asOwner(
    app,
    `insert into quality_target (version, metric, effective_from, max_bps, published_at)
     values ('a', 'defect', '2026-07-11', 200, $1), ('b', 'defect', '2026-07-21', 600, $1)`,
    ['2026-07-01T00:00:00Z'],
  );
  // From July on ten orders a day, of which one counts; in June twice as many.
  await asOwner(
    app,
    `insert into quality_day (seller_id, metric, day, numerator, denominator)
     select $1, m, d, 1, case when d < '2026-07-01' then 20 else 10 end
       from unnest(array['late_dispatch', 'seller_cancel', 'defect']) m,
            generate_series('2026-06-01'::date, '2026-07-30'::date, '1 day') d`,
    [seller_id],
  );
  await night(app, seller);
  const sums = { numerator: 30, denominator: 300, rate_bps: 1_000, status: 'missed' };
  const previous = { rate_bps: 500, denominator: 600 };
  expect(await readMetrics(seller)).toMatchObject([
    { metric: 'late_dispatch', ...sums, previous, target: { max_bps: 400, version: 'default-1' } },
    { metric: 'seller_cancel', ...sums, previous, target: { max_bps: 200, version: 'default-1' } },
    { metric: 'defect', ...sums, previous, target: { max_bps: 300, version: 'b' } },
  ]);
  expect(await readMetrics(seller, '?window=90')).toMatchObject([
    { numerator: 60, denominator: 900, rate_bps: 667, previous: { rate_bps: null, denominator: 0 } },
    { numerator: 60, denominator: 900 },
    { numerator: 60, denominator: 900, target: { max_bps: 167 } },
  ]);
  let rows = 0;
  await app.app.services.withSeller(seller_id, 'read', (db) => {
    const counting: typeof db = {
      ...db,
      all: async (one) => {
        const found = await db.all(one);
        rows += found.length;
        return found;
      },
    };
    return metricsOf({ db: counting, seller_id }, '2026-07-30', 30);
  });
  // Four parts of each metric, and the targets.
  expect(rows).toBe(3 * 4 + 2);
});
