/** The rules of db/README.md that need no database. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRelease } from '../scripts/gen/release.ts';
import { MIGRATIONS_FOLDER, readMigrations } from '../src/platform/db/migration-files.ts';

const LINE_MAX = 110;

const migrations = await readMigrations(MIGRATIONS_FOLDER);
const released = readRelease().migrations;

test('a released migration exists and has not changed', () => {
  expect(released.size).toBeGreaterThan(0);
  const now = new Map(migrations.map(({ name, sha256 }) => [name, sha256]));
  const changed = [...released].filter(([name, sha256]) => now.get(name) !== sha256).map(([name]) => name);
  expect(changed, 'write a new migration instead').toEqual([]);
});

test('a new migration is newer than every released one', () => {
  const newest = [...released.keys()].sort().at(-1) ?? '';
  const late = migrations.filter(({ name }) => !released.has(name) && name < newest).map(({ name }) => name);
  expect(late, 'give it a name with the present time').toEqual([]);
});

test('no two migrations have the same time', () => {
  const times = migrations.map(({ name }) => name.split('_')[0]);
  expect(times.filter((time, index) => times.indexOf(time) !== index)).toEqual([]);
});

test(`no line is longer than ${LINE_MAX} characters`, () => {
  const template = readFileSync(new URL('../db/migration-template.sql', import.meta.url), 'utf8');
  const long = [...migrations, { name: 'migration-template.sql', text: template }].flatMap(({ name, text }) =>
    text.split('\n').flatMap((line, index) => (line.length > LINE_MAX ? [`${name}:${index + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

test('a migration that moves rows of a table sees them', () => {
  const blind = migrations
    .filter(({ name }) => !released.has(name))
    .flatMap(({ name, text }) =>
      [...text.matchAll(/^(?:update|delete from|insert into) (\w+)/gm)].flatMap(({ 1: table, index }) => {
        const [before, after] = [text.slice(0, index), text.slice(index)];
        const sees =
          before.includes(`alter table ${table} no force row level security;`) &&
          after.includes(`alter table ${table} force row level security;`);
        return sees ? [] : [`${name}: ${table}`];
      }),
    );
  expect(blind, 'row-level security shows a migration no rows: "no force" before, "force" after').toEqual([]);
});
