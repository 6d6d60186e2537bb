/**
 * The floors of a module (docs/design/architecture.md): routes → actions → store → domain. Schemas hold types and the
 * forms of the wire. Jobs do not import HTTP. A test stands beside the source that it names, or in the folder `test`
 * of its module.
 */
import { existsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, readSources, type SourceFile } from './support/source-tree.ts';

type Floor =
  | 'index'
  | 'routes'
  | 'work'
  | 'actions'
  | 'store'
  | 'adapters'
  | 'schemas'
  | 'declarations'
  | 'domain';

/** The floor of a file, by its path in its module. The first pattern that matches decides. */
const FLOORS: readonly (readonly [RegExp, Floor])[] = [
  [/^index\.ts$/, 'index'],
  [/^(?:routes\/|routes\.ts$)/, 'routes'],
  // The entry points of jobs and of the marketplace's events.
  [/^(?:intake\/|jobs\/|jobs\.ts$|delivery\/)/, 'work'],
  [/^actions\//, 'actions'],
  [/^(?:store\/|store\.ts$)/, 'store'],
  [/^(?:schemas\/|schemas\.ts$)/, 'schemas'],
  // Clients of systems outside, for example of a carrier.
  [/^adapters\//, 'adapters'],
  [/^(?:errors|events|metrics|settings)\.ts$/, 'declarations'],
  [/^domain\//, 'domain'],
];

/** Floors of the same module that a floor may import. */
const BELOW: Readonly<Record<Floor, readonly Floor[]>> = {
  index: ['routes', 'work', 'actions', 'store', 'adapters', 'schemas', 'declarations', 'domain'],
  routes: ['routes', 'actions', 'store', 'adapters', 'schemas', 'declarations', 'domain'],
  work: ['work', 'actions', 'store', 'adapters', 'schemas', 'declarations', 'domain'],
  actions: ['actions', 'store', 'adapters', 'schemas', 'declarations', 'domain'],
  store: ['store', 'declarations', 'domain'],
  adapters: ['adapters', 'declarations', 'domain'],
  schemas: ['schemas', 'declarations', 'domain'],
  declarations: ['declarations', 'schemas', 'domain'],
  domain: ['domain'],
};

/** Imports that are allowed for types only. */
const BETWEEN_TYPES = new Set([
  'schemas → store',
  'declarations → store',
  'store → schemas',
  'store → adapters',
]);

const placeOf = (path: string): readonly [module: string, place: string] => {
  const [, module = '', place = ''] = /^src\/modules\/([^/]+)\/(.*)$/.exec(path) ?? [];
  return [module, place];
};
const floorOf = (place: string): Floor | undefined => FLOORS.find(([pattern]) => pattern.test(place))?.[1];

/** Files of which a source imports types only. */
function typesOnly({ path, text }: SourceFile): Set<string> {
  const from = (pattern: RegExp): Set<string> =>
    new Set([...text.matchAll(pattern)].map(([, specifier = '']) => posix.join(dirname(path), specifier)));
  const values = from(/^(?:import|export) (?!type\b)[^;]*? from '(\.[^']*)';/gm);
  return new Set([...from(/^import type [^;]*? from '(\.[^']*)';/gm)].filter((file) => !values.has(file)));
}

function importProblems(file: SourceFile): string[] {
  const [module, place] = placeOf(file.path);
  const floor = floorOf(place);
  if (floor === undefined) return [`${file.path} has no floor`];
  const types = typesOnly(file);
  return file.imports.flatMap((to) => {
    if (/^src\/platform\/(?:http|rest)\//.test(to) && floor !== 'routes' && floor !== 'index')
      return [`${file.path} (${floor}) knows HTTP: ${to}`];
    const [other, below] = placeOf(to);
    if (other !== module) return [];
    const target = floorOf(below);
    if (target === undefined || BELOW[floor].includes(target)) return [];
    // A form of the wire needs the type of its row, and a column may hold a document of the wire.
    if (types.has(to) && BETWEEN_TYPES.has(`${floor} → ${target}`)) return [];
    return [`${file.path} (${floor}) imports ${to} (${target})`];
  });
}

function testProblems({ path }: SourceFile): string[] {
  const [, place] = placeOf(path);
  if (place.startsWith('test/')) return [];
  const named = path.replace(/(?:\.[a-z]+)?\.test\.ts$/, '');
  return existsSync(join(ROOT, `${named}.ts`)) || existsSync(join(ROOT, named))
    ? []
    : [`${path} names no source beside it`];
}

const sources = readSources('src/modules');
const modules = [...new Set(sources.map(({ path }) => placeOf(path)[0]))];
const problemsOf = (module: string): string[] =>
  sources
    .filter(({ path }) => placeOf(path)[0] === module)
    .flatMap((file) =>
      file.isTest ? testProblems(file) : /\/test\//.test(file.path) ? [] : importProblems(file),
    );

describe('the floors of a module', () => {
  test.each(modules)('%s follows the rules', (module) => {
    expect(problemsOf(module)).toEqual([]);
  });

  test('no module has a folder named http', () => {
    const found = sources.filter(({ path }) => path.includes('/http/'));
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});
