/**
 * Each table has one owner, the module that the first line of its migration names. The owner's code may do anything
 * with it; others read it through views `v_<owner>_*` or call the owner's functions (db/README.md).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MIGRATIONS_FOLDER, readMigrations } from '../src/platform/db/migration-files.ts';
import { ROOT, readSources } from './support/source-tree.ts';

const migrations = (await readMigrations(MIGRATIONS_FOLDER)).map((migration) => ({
  ...migration,
  owner: /^-- owner: ([\w-]+)\n/.exec(migration.text)?.[1],
}));

const VIEWS = /^create view (\w+) with \(security_invoker = true\) as\n([^;]*);/gm;
const MADE = /^create (?:unlogged )?(table|view) (\w+)/gm;
const made = migrations.flatMap(({ name: file, owner = '', text }) =>
  [...text.matchAll(MADE)].map(([, kind, name = '']) => ({ file, owner, kind, name })),
);
const ownerOfTable = new Map(made.map(({ name, owner }) => [name, owner]));

/** The owner that the code of a file belongs to. */
const ownerOfPath = (path: string): string =>
  /^src\/modules\/([^/]+)\//.exec(path)?.[1] ?? /^(?:src\/)?([^/]+)\//.exec(path)?.[1] ?? '';

/** Tables and views that a piece of SQL names, with the word before each. */
function namesIn(sql: string): { readonly word: string; readonly name: string }[] {
  const found = sql.matchAll(/\b(from|join|into|update|only|lock table)\s+(?:only\s+)?([a-z_]+)\b/gi);
  return [...found].flatMap(([, word = '', name = '']) =>
    ownerOfTable.has(name) ? [{ word: word.toLowerCase(), name }] : [],
  );
}

/** Why the code of an owner may not use a table like this; undefined if it may. */
function objection(owner: string, { word, name }: { word: string; name: string }): string | undefined {
  const of = ownerOfTable.get(name) ?? '';
  if (of === owner) return undefined;
  if (name.startsWith(`v_${of}_`) && (word === 'from' || word === 'join')) return undefined;
  return `${word} ${name}, which ${of} owns`;
}

/** Files that may hold SQL (test/architecture.test.ts); elsewhere `from settlement` is prose. */
const holdsSql = (path: string): boolean =>
  /\/store(\/|\.ts$)/.test(path) || path.startsWith('src/platform/');
const sources = [...readSources('src'), ...readSources('demo')].filter(
  ({ path, isTest }) => !isTest && holdsSql(path),
);

describe('migrations', () => {
  test('each names its owner, which has a folder', () => {
    const homes = ['src/modules', 'src', '.'];
    const wrong = migrations.filter(
      ({ owner = '' }) => !homes.some((home) => owner !== '' && existsSync(join(ROOT, home, owner))),
    );
    expect(wrong.map(({ name, owner }) => `${name}: ${owner}`)).toEqual([]);
    expect(ownerOfTable.size).toBeGreaterThan(50);
  });

  test('a view is named after its owner and reads what the owner may read', () => {
    const misnamed = made.filter(
      ({ kind, name, owner }) => kind === 'view' && !name.startsWith(`v_${owner}_`),
    );
    expect(misnamed.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
    const wrong = migrations.flatMap(({ name: file, owner = '', text }) =>
      [...text.matchAll(VIEWS)].flatMap(([, view, body = '']) =>
        namesIn(body).flatMap((use) => {
          const why = objection(owner, use);
          return why === undefined ? [] : [`${file}: ${view} reads ${why}`];
        }),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe('code', () => {
  const uses = sources.flatMap(({ path, literals, text }) => [
    ...literals.flatMap(namesIn).map((use) => ({ path, ...use })),
    ...[...text.matchAll(/\bdefineTable\(\s*'(\w+)'/g)].map(([, name = '']) => ({
      path,
      word: 'define',
      name,
    })),
  ]);

  test('uses its own tables, and the views of other owners', () => {
    const wrong = uses.flatMap(({ path, ...use }) => {
      const why = objection(ownerOfPath(path), use);
      return why === undefined ? [] : [`${path}: ${why}`];
    });
    expect([...new Set(wrong)]).toEqual([]);
  });

  test('every view is read by another owner', () => {
    const byCode = uses.map(({ path, name }) => ({ owner: ownerOfPath(path), name }));
    const byViews = migrations.flatMap(({ owner = '', text }) =>
      [...text.matchAll(VIEWS)].flatMap(([, , body = '']) =>
        namesIn(body).map(({ name }) => ({ owner, name })),
      ),
    );
    const read = new Set(
      [...byCode, ...byViews]
        .filter(({ owner, name }) => owner !== ownerOfTable.get(name))
        .map(({ name }) => name),
    );
    const idle = made.filter(({ kind, name }) => kind === 'view' && !read.has(name));
    expect(idle.map(({ name }) => name)).toEqual([]);
  });
});
