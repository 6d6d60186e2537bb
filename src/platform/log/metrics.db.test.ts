import { expect, test } from 'vitest';
import { testDatabase } from '../../../test/support/pg.ts';
import { runOn } from '../../../test/support/test-server.ts';
import { createPool } from '../db/pool.ts';
import { createWithSystem } from '../db/scope.ts';
import { createMetrics } from './metrics.ts';

const database = await testDatabase();
const NOW = Date.parse('2026-06-28T01:00:00Z');
const metrics = createMetrics(() => ({ short: { total: 5, idle: 3, waiting: 0 } }));

/** The service's own lines of a scrape whose pool is connected to `url`. */
async function scrape(url: string): Promise<string[]> {
  const pool = createPool({ url, max: 1, name: 'test', log: { warn: () => undefined } as never });
  try {
    const text = await metrics.render({ withSystem: createWithSystem(pool), now: () => NOW });
    return text.split('\n').filter((line) => /^spp_(jobs|database|db)/.test(line));
  } finally {
    await pool.end();
  }
}

test('jobs are counted as waiting, running, late or failing', async () => {
  const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();
  const add = (id: string, due: number, lease: string, attempts = 0, error: string | null = null) =>
    runOn(database.adminUrl, (client) =>
      client.query(
        `insert into job (job_id, kind, due_at, lease_until, attempts, last_error, created_at) values ($1, 'k', $2, ${lease}, $3, $4, $2)`,
        [id, at(due), attempts, error],
      ),
    );
  // The single jobs that the migrations add are not counted.
  await runOn(database.adminUrl, (client) => client.query('delete from job'));
  const live = "clock_timestamp() + interval '10 seconds'";
  await add('waiting', 5, 'null');
  await add('due', -5, 'null');
  await add('late', -61, 'null');
  await add('abandoned', -61, "clock_timestamp() - interval '10 seconds'");
  await add('long', -600, live, 1);
  await add('failing', 30, 'null', 3, 'no');
  await add('failed once', 30, 'null', 1, 'no');
  expect(await scrape(database.url)).toEqual([
    'spp_db_connections{pool="short",state="total"} 5',
    'spp_db_connections{pool="short",state="idle"} 3',
    'spp_db_connections{pool="short",state="waiting"} 0',
    'spp_jobs{state="waiting"} 3',
    'spp_jobs{state="running"} 1',
    'spp_jobs{state="late"} 2',
    'spp_jobs{state="failing"} 1',
    'spp_database_up 1',
  ]);
});

test('a scrape is answered while the database is unreachable', async () => {
  expect(await scrape('postgres://none@127.0.0.1:1/none')).toEqual([
    'spp_db_connections{pool="short",state="total"} 5',
    'spp_db_connections{pool="short",state="idle"} 3',
    'spp_db_connections{pool="short",state="waiting"} 0',
    'spp_database_up 0',
  ]);
});

test('Node is watched once, however many apps run in a process', () => {
  const watched = ({ registry }: typeof metrics) => registry.getSingleMetric('nodejs_gc_duration_seconds');
  expect(watched(metrics)).toBeDefined();
  expect(watched(createMetrics(() => ({})))).toBe(watched(metrics));
});
