import { expect, test } from 'vitest';
import { testDatabase } from './pg.ts';
import { runOn } from './test-server.ts';

const database = await testDatabase();
const other = await testDatabase();

test('each test file has a migrated database of its own', async () => {
  expect(database.name).not.toBe(other.name);
  const migrations = 'select count(*)::int as count from schema_migration';
  const counts = await Promise.all(
    [database, other].map(({ adminUrl }) =>
      runOn(adminUrl, (client) => client.query<{ count: number }>(migrations)),
    ),
  );
  expect(counts[0]?.rows[0]?.count).toBe(counts[1]?.rows[0]?.count);
});

test('the login of the service is no superuser, owns nothing and cannot bypass row-level security', async () => {
  const { rows } = await runOn(database.url, (client) =>
    client.query(
      `select rolsuper, rolbypassrls, rolcreaterole, current_database() as name,
              exists (select from pg_class where relowner = pg_roles.oid) as owns
         from pg_roles where rolname = current_user`,
    ),
  );
  expect(rows).toEqual([
    { rolsuper: false, rolbypassrls: false, rolcreaterole: false, name: database.name, owns: false },
  ]);
});
