/**
 * Measures how much code a thing takes: `npm run measure`. Prints a table of the figures before the kit of tables
 * and resources, the aims, and those of now; `--write` keeps it as docs/measures.md.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { page, table } from './gen/markdown.ts';
import { renderModule } from './render-module.ts';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(`${cwd}${path}`, 'utf8');
const linesOf = (text: string): number => text.trimEnd().split('\n').length;
const sources = globSync('src/**/*.ts', { cwd }).filter((path) => !/\.test\.ts$|\/test\//.test(path));
const count = (texts: readonly string[], pattern: RegExp): number =>
  texts.reduce((sum, text) => sum + [...text.matchAll(pattern)].length, 0);
const sum = (paths: readonly string[]): number =>
  paths.reduce((total, path) => total + linesOf(read(path)), 0);

/** The simplest resource: shipping rules, with their table, their routes and their schema. */
const RESOURCE = ['src/modules/shipping/store/rules.ts', 'src/modules/shipping/routes/rules.ts'];
/** A column of theirs that nothing but the resource uses. */
const COLUMN = /\bsku_prefixes\b/g;

/** A statement that is written as an object, without the shape of its rows. */
const UNCHECKED = /\btext: [^,\n]+,\s*values: \[[^\]]*\](?!,?\s*\.\.\.\(?[\w.]*shape)/g;

/** Names that a module exports to others. */
function exportedNames(path: string): number {
  const text = read(path).replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) =>
    names.split(',').filter((name) => name.trim() !== ''),
  );
  return lists.length + count([text], /^export (?:const|function|class|interface|type) \w/gm);
}

const plan = {
  name: 'faqs',
  title: 'FAQ',
  summary: 'Questions',
  one: 'question',
  taken: [],
  area: 'support',
} as const;
const rows: readonly (readonly [string, string, string, number | string])[] = [
  ['lines of the simplest resource (shipping rules)', '383', '≤ 140', sum(RESOURCE)],
  ['places that name a column of it', '17', '≤ 6', count(RESOURCE.map(read), COLUMN)],
  [
    'a new module: table, five routes, three events, without tests',
    '≈ 500 lines, 8 files, 6 to 10 edits outside',
    '≤ 120 lines, 1 file, 2 edits outside',
    `${linesOf(renderModule(plan).module)} lines, 1 file, 3 edits outside, made by the command`,
  ],
  ['lines in `src` without tests', '75,257', '≤ 66,000', sum(sources)],
  ['statements without a checked shape', '249', '0', count(sources.map(read), UNCHECKED)],
  ['references to documents that are not there', '203', '0', '0, held by test/documentation.test.ts'],
  ['exported names of the ledger', '93', '≤ 30', exportedNames('src/modules/ledger/index.ts')],
  [
    'openapi.json',
    '1.79 MB for 160 operations',
    '≤ 0.7 MB for 175',
    `${(statSync(`${cwd}openapi.json`).size / 1_000_000).toFixed(2)} MB for ${count([read('openapi.json')], /"x-rate-class"/g)}`,
  ],
];
const seconds = (): string => {
  const start = performance.now();
  execFileSync(process.execPath, ['scripts/check.ts'], { cwd, stdio: 'ignore' });
  return `${((performance.now() - start) / 1000).toFixed(0)} s`;
};
const options = new Set(process.argv.slice(2));
const check = options.has('--time') ? [['`npm run check`', '< 30 s', '< 30 s', seconds()] as const] : [];
const text = page(
  'Measures',
  'How much code a thing takes, before the kit of tables and resources and now: `npm run measure -- --time --write`.',
  table(
    ['measure', 'before', 'aim', 'now'],
    [...rows, ...check].map((row) =>
      row.map((value) => (typeof value === 'number' ? value.toLocaleString('en-AU') : value)),
    ),
  ),
);
const written = text.replace('"npm run gen"', '"npm run measure -- --write"');
if (options.has('--write')) writeFileSync(`${cwd}docs/measures.md`, written);
console.log(written);
