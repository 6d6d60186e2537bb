import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { pendingMigrations, readMigrations } from './migration-files.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderOf(names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'spp-migrations-'));
  folders.push(folder);
  for (const name of names) writeFileSync(join(folder, name), `-- ${name}`);
  return `${folder}/`;
}

const FIRST = '20261123T0001_platform.sql';
const SECOND = '20270105T0830_orders.sql';
const THIRD = '20270105T0831_faqs.sql';

/** The record of a database that has these migrations. */
const having = async (...names: string[]): Promise<Map<string, string>> =>
  new Map((await readMigrations(folderOf(names))).map(({ name, sha256 }) => [name, sha256]));

test('files apply in the order of their names', async () => {
  const migrations = await readMigrations(folderOf([THIRD, FIRST, SECOND]));
  expect(migrations.map(({ name }) => name)).toEqual([FIRST, SECOND, THIRD]);
});

test.each(['0046_more.sql', '20270105_orders.sql', '20270105T0830.sql', '20270105T0830_Orders.sql'])(
  'the name %s is refused',
  async (name) => {
    await expect(readMigrations(folderOf([FIRST, name]))).rejects.toThrow(name);
  },
);

test('a database gets the files that it lacks', async () => {
  const migrations = await readMigrations(folderOf([FIRST, SECOND, THIRD]));
  expect(pendingMigrations(migrations, new Map())).toEqual(migrations);
  expect(pendingMigrations(migrations, await having(FIRST)).map(({ name }) => name)).toEqual([SECOND, THIRD]);
  expect(pendingMigrations(migrations, await having(FIRST, SECOND, THIRD))).toEqual([]);
});

test('a file that is older than an applied one is refused', async () => {
  const migrations = await readMigrations(folderOf([FIRST, SECOND, THIRD]));
  const applied = await having(FIRST, THIRD);
  expect(() => pendingMigrations(migrations, applied)).toThrow(`${SECOND} is older than ${THIRD}`);
});

test('a file that changed after it was applied is refused', async () => {
  const migrations = await readMigrations(folderOf([FIRST, SECOND]));
  const applied = new Map([...(await having(FIRST, SECOND)), [FIRST, 'other']]);
  expect(() => pendingMigrations(migrations, applied)).toThrow(`${FIRST} was changed`);
});

test('a database of migrations that were folded since is refused', async () => {
  const migrations = await readMigrations(folderOf([FIRST, THIRD]));
  const applied = await having(FIRST, SECOND);
  expect(() => pendingMigrations(migrations, applied)).toThrow(
    `between two releases (it has the migration ${SECOND})`,
  );
});

test('migrations of a later release are left alone', async () => {
  const migrations = await readMigrations(folderOf([FIRST]));
  expect(pendingMigrations(migrations, await having(FIRST, SECOND))).toEqual([]);
});
