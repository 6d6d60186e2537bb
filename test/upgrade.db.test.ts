/** A database of the last release, once upgraded, equals a fresh one (db/README.md). */
import { randomBytes } from 'node:crypto';
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
afterAll(() => runOn(adminUrl, (client) => client.query(`drop database ${name} with (force)`)));

test('the last release, upgraded, has the schema and the rows of a fresh database', async () => {
  await migrate({ url });
  expect(schemaDump(await catalogueOf(url))).toBe(schemaDump(await catalogueOf(fresh.adminUrl)));
});
