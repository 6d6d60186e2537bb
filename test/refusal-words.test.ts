/** Validation failures have sentences in plain English. The validator's own words never reach a client. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError, type FieldProblem } from '../src/kernel/errors.ts';
import type { AnyRoute } from '../src/kernel/route.ts';
import { MODULES } from '../src/modules.ts';
import { compileChecks, compileDataFinder } from '../src/platform/http/validate.ts';

const routes = MODULES.flatMap((module) => module.routes);

/** Words of JSON Schema and of Ajv, and the sentences for failures that have no sentence of their own. */
const VALIDATOR_WORDS =
  /must NOT|must match|must be (?:string|integer|number|boolean|object|array|equal|multiple|[<>=])|schema|pattern|anyOf|oneOf|propert|\^|\\|value is not allowed|another format|that are not allowed here|undefined|NaN/;

const BAD: readonly unknown[] = [
  ...[null, true, 7, -1, 1.5, 1e300, '', ' ', '!', 'a b\nc', 'x'.repeat(10_001)],
  ...[[], {}, [null], ['', ''], { unknown: 1 }, Array.from({ length: 501 }, () => 'same')],
];

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Copies of the value. Each has one part, at any depth, replaced by a bad value, or one part too many. */
function* mutants(value: unknown): Generator<unknown> {
  yield* BAD;
  if (!isContainer(value)) return;
  for (const [key, part] of Object.entries(value)) {
    for (const changed of mutants(part)) {
      const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...value };
      copy[key] = changed;
      yield copy;
    }
  }
  if (!Array.isArray(value)) yield { ...value, unknown_field: 1 };
}

/** A value for each property of a schema by its type, for parameters and fields without an example. */
function sampleOf(schema: object | undefined, given: unknown): Record<string, unknown> {
  const properties = Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});
  return { ...Object.fromEntries(properties.map((name) => [name, 'x'])), ...(given as object) };
}

function problemsOf(check: ((value: unknown) => void) | undefined, value: unknown): readonly FieldProblem[] {
  try {
    check?.(structuredClone(value));
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { detail } = error.body;
    return Array.isArray(detail) ? (detail as FieldProblem[]) : [];
  }
}

/** The name of an unknown field comes from the client, so it may be any word. */
const strange = ({ loc, msg, type }: FieldProblem): string[] =>
  VALIDATOR_WORDS.test(msg.replace(`\`${String(loc.at(-1)).slice(0, 60)}\``, '')) || !/[.?]$/.test(msg)
    ? [`${loc.join('.')} ${type}: ${msg}`]
    : [];

function strangeWords(route: AnyRoute): string[] {
  const checks = compileChecks(route);
  const body = route.body?.kind === 'json' ? route.body : undefined;
  const bodies = body === undefined ? [] : [...mutants(sampleOf(body.schema, body.example))];
  const queries = [...mutants(sampleOf(route.query, {}))].filter(isContainer);
  const found = [
    ...bodies.flatMap((value) => problemsOf(checks.body, value)),
    ...queries.flatMap((value) => problemsOf(checks.query, value)),
  ];
  return [...new Set(found.flatMap(strange))].map((says) => `${route.id} ${says}`);
}

const events = MODULES.flatMap(({ marketplaceEvents = [] }) => marketplaceEvents);

test('the data of every event of the marketplace is refused in plain English', () => {
  const found = events.flatMap(({ type, schema, example }) => {
    const find = compileDataFinder(schema);
    const says = [...mutants(sampleOf(schema, example))].flatMap((data) => find(data).flatMap(strange));
    return [...new Set(says)].map((text) => `${type} ${text}`);
  });
  expect(found).toEqual([]);
});

test('an instant or a day that is well formed but too far away is told the years', () => {
  const find = compileDataFinder({
    type: 'object',
    properties: { at: { type: 'string', format: 'date-time' }, on: { type: 'string', format: 'date' } },
  });
  const said = find({ at: '9999-12-31T23:59:59Z', on: '0001-01-01' }).map(({ msg }) => msg);
  expect(said).toEqual([
    expect.stringContaining('of the years 1000 to 2999'),
    expect.stringContaining('of the years 1000 to 2999'),
  ]);
});

test('every body and query is refused in plain English', () => {
  expect(routes.flatMap(strangeWords)).toEqual([]);
});

test('random bodies are refused in plain English', () => {
  const bodies = routes.flatMap((route) => (route.body?.kind === 'json' ? [compileChecks(route).body] : []));
  fc.assert(
    fc.property(fc.nat(bodies.length - 1), fc.jsonValue(), (at, value) => {
      expect(problemsOf(bodies[at], value).flatMap(strange)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
