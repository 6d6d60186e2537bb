import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sql } from '../../../test/support/sql.ts';
import { runOn, withDatabase } from '../../../test/support/test-server.ts';
import { migrate } from './migrate.ts';
import type { MigrationError } from './migration-files.ts';
import { createPool } from './pool.ts';
import { createWithSeller } from './scope.ts';

const { adminUrl } = inject('testServer');
const suffix = randomBytes(5).toString('hex');
const owner = `spp_test_owner_${suffix}`;
const service = `spp_test_service_${suffix}`;
const name = `spp_test_provisioned_${suffix}`;

const as = (login: string, database = name): string => {
  const url = new URL(withDatabase(adminUrl, database));
  url.username = login;
  url.password = 'secret';
  return url.href;
};
const ask = <Row extends object>(url: string, text: string): Promise<Row[]> =>
  runOn(url, async (client) => (await client.query<Row>(text)).rows);
const refused = (url: string): Promise<MigrationError> =>
  migrate({ url }).then(
    () => {
      throw new Error('it was not refused');
    },
    (error: MigrationError) => error,
  );

/** The statements that docs/operations.md asks of an administrator. */
beforeAll(async () => {
  await runOn(adminUrl, async (client) => {
    await client.query(`create role ${owner} login password 'secret'`);
    await client.query(`grant spp_app, spp_system, spp_migration to ${owner}`);
    // An administrator who is not a superuser needs the membership to give the database away.
    await client.query(`grant ${owner} to current_user`);
    await client.query(`create role ${service} login noinherit password 'secret'`);
    await client.query(`grant spp_app, spp_system to ${service}`);
    await client.query(`create database ${name} template template0 encoding 'UTF8'`);
    await client.query(`alter database ${name} owner to ${owner}`);
  });
});
afterAll(async () => {
  await runOn(adminUrl, async (client) => {
    await client.query(`drop database ${name} with (force)`);
    await client.query(`drop role ${owner}, ${service}`);
  });
});

test('the service’s login is told to let the owner migrate first', async () => {
  const error = await refused(as(service));
  expect(error.name).toBe('MigrationError');
  expect(error.message).toContain(`"${service}" may not change it`);
  expect(error.message).toContain('run "migrate"');
});

test('an owner without rights of an administrator migrates, then the service starts without rights to change', async () => {
  const lines: string[] = [];
  await migrate({ url: as(owner), log: (line) => lines.push(line) });
  expect(lines).toEqual([
    expect.stringMatching(/^Migrations applied: \d+, the last one \d{8}T\d{4}_\w+\.sql\.$/),
  ]);
  await migrate({ url: as(service) });
  await expect(ask(as(service), 'create table public.t (a int)')).rejects.toThrow('permission denied');
  await expect(ask(as(service), 'select from seller')).rejects.toThrow('permission denied');
  const log = { warn: () => undefined } as never;
  const pool = createPool({ url: as(service), max: 1, name: 'test', log });
  try {
    const rows = await createWithSeller(pool)('slr_x', 'read', (db) =>
      db.all(sql('select current_user::text as role')),
    );
    expect(rows).toEqual([{ role: 'spp_app' }]);
  } finally {
    await pool.end();
  }
});

test('migrating again changes nothing, and a database of a later release is left alone', async () => {
  await ask(
    as(owner),
    "set role spp_migration; insert into schema_migration values ('99991231T2359_later.sql', 'x', clock_timestamp())",
  );
  const state = 'select name, sha256, applied_at::text from schema_migration order by name';
  const before = await ask(as(owner), state);
  await migrate({ url: as(service) });
  await migrate({ url: as(owner) });
  expect(await ask(as(owner), state)).toEqual(before);
});

test('several processes at once migrate once', async () => {
  const other = `${name}_2`;
  await ask(adminUrl, `create database ${other} template template0 encoding 'UTF8'`);
  try {
    await ask(adminUrl, `alter database ${other} owner to ${owner}`);
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    await Promise.all([1, 2, 3].map(() => migrate({ url: as(owner, other), log })));
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines.length).toBeGreaterThan(0);
  } finally {
    await ask(adminUrl, `drop database ${other} with (force)`);
  }
});

test('a migration that fails is named', async () => {
  const other = `${name}_3`;
  await ask(adminUrl, `create database ${other} template template0 encoding 'UTF8'`);
  try {
    await ask(adminUrl, `alter database ${other} owner to ${owner}`);
    await ask(as(owner, other), 'create table seller (a int)');
    await expect(migrate({ url: as(owner, other) })).rejects.toThrow(
      /^\d{8}T\d{4}_\w+\.sql: relation "seller" already exists/,
    );
  } finally {
    await ask(adminUrl, `drop database ${other} with (force)`);
  }
});

test('a migration that was changed after it had been applied is refused by its name', async () => {
  await ask(
    as(owner),
    "set role spp_migration; update schema_migration set sha256 = 'other' where name like '%T0001_platform%'",
  );
  for (const login of [owner, service])
    expect((await refused(as(login))).message).toContain('20261123T0001_platform.sql was changed');
});

test('a database of migrations that no release has is refused with the way to mend it', async () => {
  await ask(
    as(owner),
    "set role spp_migration; insert into schema_migration values ('0001_foundation.sql', 'x', clock_timestamp())",
  );
  for (const login of [owner, service]) {
    const { message } = await refused(as(login));
    expect(message).toContain('between two releases (it has the migration 0001_foundation.sql)');
    expect(message).toContain('delete the folder of DATA_DIR (.data by default)');
  }
});
