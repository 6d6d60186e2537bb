/** A database of the last release, once upgraded, equals a fresh one (db/README.md). */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { catalogueOf } from '../scripts/gen/migrated-database.ts';
import { readRelease } from '../scripts/gen/release.ts';
import { schemaDump } from '../scripts/gen/schema-dump.ts';
import { ensureRoles } from '../src/platform/db/ensure-roles.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { testDatabase } from './support/pg.ts';
import { runOn, withDatabase } from './support/test-server.ts';

const { adminUrl } = inject('testServer');
const name = `spp_test_released_${randomBytes(5).toString('hex')}`;
const url = withDatabase(adminUrl, name);
const fresh = await testDatabase();
const release = readRelease();

beforeAll(async () => {
  await runOn(adminUrl, (client) =>
    client.query(`create database ${name} template template0 encoding 'UTF8'`),
  );
  await runOn(url, async (client) => {
    await ensureRoles(client, undefined);
    await client.query('set role spp_migration');
    await client.query(release.text);
    await client.query(
      "insert into schema_migration select *, '2026-01-01Z'::timestamptz from unnest($1::text[], $2::text[])",
      [[...release.migrations.keys()], [...release.migrations.values()]],
    );
  });
});
/** Products of the last release: approved, with a title under review, and waiting for their first review. */
const PRODUCTS = `
  insert into product (seller_id, product_id, title, currency, status, curation_state, approved, source_origin,
                       search_text, curated_at, version, created_at, updated_at)
  values ('slr_1', 'prd_1', 'One', 'AUD', 'draft', 'approved', null, 'api', '', '2026-02-01Z', 3,
          '2026-01-01Z', '2026-02-02Z'),
         ('slr_1', 'prd_2', 'Two', 'AUD', 'draft', 'pending', '{"title":"Old"}', 'api', '', '2026-02-01Z', 4,
          '2026-01-01Z', '2026-02-02Z'),
         ('slr_1', 'prd_3', 'New', 'AUD', 'draft', 'pending', null, 'api', '', null, 1,
          '2026-01-01Z', '2026-01-01Z')`;

/** A job of the last release that no later one has, and a fee schedule that its sellers know. */
const OLD_ROWS = `
  insert into job (job_id, kind, due_at, created_at)
  values ('job_1', 'platform.forget_outbox', '2026-01-01Z', '2026-01-01Z');
  insert into fee_schedule values ('v1', '2026-01-01', 1000, '[]', 0, 0, 0, 0, '2026-01-01Z')`;

/** Stored answers of requests, which may hold texts of buyers. */
const ANSWERS = `
  insert into idempotency_key (seller_id, route_id, key, fingerprint, status, body, created_at, expires_at)
  select 'slr_1', 'r', n, '', 200, 'of Quillfeather Street ' || n % 2, '2026-01-01Z', '2026-02-01Z'
    from generate_series(1, 20) n;
  analyze idempotency_key`;
const STATISTICS = "select from pg_stats where tablename = 'idempotency_key' and attname = 'body'";

const LIVE = 'select live_version, approved_at::date::text as on from product order by product_id';

afterAll(() => runOn(adminUrl, (client) => client.query(`drop database ${name} with (force)`)));

test('products that are approved in the last release are live after the upgrade', async () => {
  await runOn(url, async (client) => {
    await client.query(`${PRODUCTS}; ${OLD_ROWS}; ${ANSWERS}`);
    expect((await client.query(STATISTICS)).rowCount).toBe(1);
  });
  await migrate({ url });
  const { rows } = await runOn(url, async (client) => {
    const live = await client.query(LIVE);
    // The next test compares all rows.
    await client.query(
      'truncate product, product_search_queue, usage_counter, idempotency_key restart identity',
    );
    return live;
  });
  expect(rows).toEqual([
    { live_version: 3, on: '2026-02-01' },
    { live_version: 3, on: '2026-02-01' },
    { live_version: null, on: null },
  ]);
});

test('jobs that no process runs any more are deleted, and old fee schedules get no event', async () => {
  await migrate({ url });
  const { jobs, schedules } = await runOn(url, async (client) => {
    const [jobs, schedules] = [
      await client.query('select kind from job'),
      await client.query('select version, announced_at = published_at as announced from fee_schedule'),
    ];
    await client.query('truncate job, fee_schedule');
    return { jobs: jobs.rows, schedules: schedules.rows };
  });
  expect(jobs).toEqual([]);
  expect(schedules).toEqual([{ version: 'v1', announced: true }]);
});

test('statistics of buyer texts that the last release gathered are gone', async () => {
  const kept = await runOn(url, async (client) => {
    const { rows } = await client.query(STATISTICS);
    const { rows: versions } = await client.query<{ clears: boolean }>(
      "select current_setting('server_version_num')::int >= 180000 as clears",
    );
    if (versions[0]?.clears) return rows;
    const page = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
    await client.query(/^delete from pg_statistic [^;]*;/m.exec(page)?.[0] ?? '');
    return (await client.query(STATISTICS)).rows;
  });
  expect(kept).toEqual([]);
});

test('the last release, upgraded, has the schema and the rows of a fresh database', async () => {
  await migrate({ url });
  expect(schemaDump(await catalogueOf(url))).toBe(schemaDump(await catalogueOf(fresh.adminUrl)));
});
