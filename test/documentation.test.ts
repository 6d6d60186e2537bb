/** Pages that are written by hand name things of the sources. These things must exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { MODULES } from '../src/modules.ts';
import clients from './clients/package.json' with { type: 'json' };
import { filesBelow, ROOT, readSources } from './support/source-tree.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('docs/dependencies.md', () => {
  const listed = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)];
  const own = { ...manifest.dependencies, ...manifest.devDependencies };
  const installed = [...Object.entries(own), ...Object.entries(clients.dependencies)];

  test('has one reason for every package, and no package more', () => {
    expect(listed.map(([, name]) => name).sort()).toEqual(installed.map(([name]) => name).sort());
  });

  test('every version is exact', () => {
    expect(installed.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  test('the service loads no package that production does not install', () => {
    const packageOf = (specifier: string): string =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
    const loaded = readSources('src')
      .filter(({ isTest }) => !isTest)
      .flatMap(({ imports }) => imports)
      .filter((specifier) => !/^(?:node:|src\/|demo\/|package\.json$)/.test(specifier));
    expect([...new Set(loaded.map(packageOf))].filter((name) => !(name in manifest.dependencies))).toEqual(
      [],
    );
  });
});

describe('links', () => {
  const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', ...filesBelow('docs')].filter(
    (path) => path.endsWith('.md') && existsSync(join(ROOT, path)),
  );

  test.each(pages)('of %s have a target', (page) => {
    const targets = [...read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target));
    expect(targets.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
  });
});

describe('commands', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...filesBelow('docs'),
    ...filesBelow('src'),
  ].filter((path) => path.endsWith('.md'));

  // An interactive zsh, the shell of macOS, knows no comments: `npm start # …` would start with arguments.
  test.each(pages)('of %s have no comments, so that they can be pasted into zsh', (page) => {
    const blocks = [...read(page).matchAll(/^```(?:sh|bash)\n(.*?)^```/gms)].map(([, block = '']) => block);
    expect(blocks.filter((block) => /(?:^|\s)#/m.test(block))).toEqual([]);
  });
});

describe('citations', () => {
  /** As GitHub makes the anchor of a heading. */
  const anchorOf = (heading: string): string =>
    heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
  const anchorsOf = (page: string): Set<string> =>
    new Set([...read(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));
  const files = ['src', 'demo', 'test', 'bench', 'scripts', 'db']
    .flatMap(filesBelow)
    .filter((path) => /\.(?:ts|mjs|sql|md)$/.test(path));
  const pages = ['README.md', 'CONTRIBUTING.md', ...filesBelow('docs')].filter(
    (path) => path.endsWith('.md') && existsSync(join(ROOT, path)),
  );

  interface Citation {
    readonly from: string;
    readonly page: string;
    readonly anchor: string | undefined;
  }
  const isMissing = ({ page, anchor }: Citation): boolean =>
    !existsSync(join(ROOT, page)) ||
    (anchor !== undefined && page.endsWith('.md') && !anchorsOf(page).has(anchor));

  test('of the comments find their page and section', () => {
    const cited = files.flatMap((from) =>
      [...read(from).matchAll(/(?<![\w/.-])docs\/([\w/-]+\.md)(?:#([\w-]+))?/g)].map(
        ([, page = '', anchor]) => ({
          from,
          page: `docs/${page}`,
          anchor,
        }),
      ),
    );
    expect(cited.length).toBeGreaterThan(150);
    expect(cited.filter(isMissing)).toEqual([]);
  });

  test('of the pages name paths that exist', () => {
    const named = [...pages, ...filesBelow('src').filter((path) => path.endsWith('.md'))].flatMap((from) =>
      [...read(from).matchAll(/`((?:src|test|demo|bench|scripts|db|bin|docs)\/[\w./-]+)`/g)].map(
        ([, path = '']) => ({ from, path }),
      ),
    );
    expect(named.length).toBeGreaterThan(30);
    const isThere = ({ from, path }: { readonly from: string; readonly path: string }): boolean =>
      existsSync(join(ROOT, path)) || existsSync(join(ROOT, dirname(from), path));
    expect(named.filter((one) => !isThere(one))).toEqual([]);
  });

  test('of the pages find their section', () => {
    const cited = pages.flatMap((from) =>
      [...read(from).matchAll(/\]\(([^)#\s:]*)#([\w-]+)\)/g)].map(([, target = '', anchor]) => ({
        from,
        page: target === '' ? from : join(dirname(from), target),
        anchor,
      })),
    );
    expect(cited.filter(isMissing)).toEqual([]);
  });

  test('name no document that is not here', () => {
    const elsewhere =
      /contract(?:\.md)?,? sections? \d|design "|\banchors \d|import[- ]formats(?:\.md)?,? (?:section|finding)|architecture(?:\.md)? "/i;
    const found = files
      .filter((path) => path !== 'test/documentation.test.ts')
      .filter((path) => elsewhere.test(read(path).replaceAll(/\n\s*(?:\*|\/\/) ?/g, ' ')));
    expect(found).toEqual([]);
  });
});

test('decisions are numbered without a gap and have a status', () => {
  const names = readdirSync(join(ROOT, 'docs/adr')).sort();
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, index) => index + 1));
  expect(
    names.filter((name) => !/^Status: (accepted|superseded by \[\d{4})/m.test(read(`docs/adr/${name}`))),
  ).toEqual([]);
});

describe('docs/spec-map.md', () => {
  const rows = [
    ...read('docs/spec-map.md').matchAll(/^\| (?!sentence|---)(.+) \| (.+) \| (.*) \| (.*) \|$/gm),
  ];
  const routes = MODULES.flatMap((module) => module.routes.map(({ id }) => id));
  /** `path` "name", "name"; of a table of tests the name is its pattern. */
  const named = rows.flatMap(([, , , , tests = '']) =>
    [...tests.matchAll(/`([^`]+\.test\.ts)`((?:,? "[^"]+")*)/g)].map(([, path = '', names = '']) => ({
      path,
      names: [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name),
    })),
  );

  test('has a state for every sentence', () => {
    expect(rows.length).toBeGreaterThan(70);
    const states = ['met', 'planned', 'deferred', 'unavailable', 'by design'];
    expect(
      rows
        .filter(([, , state = '']) => !states.includes(state) && !/^partly: \w/.test(state))
        .map(([row]) => row),
    ).toEqual([]);
  });

  test('names routes that exist', () => {
    const mentioned = rows.flatMap(([, , , ids = '']) =>
      [...ids.matchAll(/`([^`]+)`/g)].map(([, id = '']) => id),
    );
    expect(mentioned.filter((id) => !routes.includes(id))).toEqual([]);
  });

  test('a sentence is met only where a named test calls the running service', () => {
    const calls = /`(?:[^`]+\.db|test\/acceptance\/[^`]+)\.test\.ts` "/;
    const met = rows.filter(([, , state]) => state === 'met');
    expect(met.filter(([, , , , tests = '']) => !calls.test(tests)).map(([, sentence]) => sentence)).toEqual(
      [],
    );
  });

  test('names tests that exist', () => {
    expect(named.length).toBeGreaterThan(60);
    const texts = new Map(
      named.map(({ path }) => [path, existsSync(join(ROOT, path)) ? read(path) : undefined]),
    );
    const missing = named.flatMap(({ path, names }) => {
      const text = texts.get(path);
      if (text === undefined) return [path];
      return names.filter((name) => !text.includes(name)).map((name) => `${path}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  test('has the state "met" only if a test calls the running service', () => {
    const asksTheService = /`[^`]+\.db\.test\.ts`|`test\/acceptance\/[^`]+\.test\.ts`/;
    const unasked = rows.filter(
      ([, , state, , tests = '']) => state === 'met' && !asksTheService.test(tests),
    );
    expect(unasked.map(([row]) => row)).toEqual([]);
  });
});
