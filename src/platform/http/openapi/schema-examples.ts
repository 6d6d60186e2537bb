/**
 * Puts the example of a named schema at the schema, once. An answer, an event or a row of a list with the same example
 * needs none of its own, because tools make it from the schemas.
 */
import type { ModuleDef } from '../../../kernel/route.ts';
import type { Components } from './components.ts';
import { holdsExampleKey, type Json } from './document.ts';

export interface SchemaExamples {
  /** Whether tools can make the example from the schemas alone. */
  follows(schema: object, example: unknown): boolean;
  /** Example by name of the component. */
  readonly byName: ReadonlyMap<string, unknown>;
  /** Examples of the fields of a page beside its rows, by name of the component. */
  readonly besideRows: ReadonlyMap<string, Json>;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

interface PageExample {
  /** The row of a page with one row. */
  readonly row: unknown;
  /** The other fields of the page. */
  readonly more: Json;
}

/** The parts of a page with one row. */
function pageParts(example: unknown): PageExample | undefined {
  const { data, page, ...more } = (example ?? {}) as { readonly data?: unknown; readonly page?: unknown };
  return page !== undefined && Array.isArray(data) && data.length === 1 ? { row: data[0], more } : undefined;
}

const rowsOf = (schema: object): object | undefined =>
  (schema as { properties?: { data?: { items?: object } } }).properties?.data?.items;

/**
 * The first example of each named schema, and of the other fields of pages. Examples of answers come before those of
 * events.
 */
export function collectExamples(modules: readonly ModuleDef[], components: Components): SchemaExamples {
  const byName = new Map<string, unknown>();
  const besideRows = new Map<string, Json>();
  const nameOf = (schema: object): string | undefined => {
    const reference = (components.response(schema) as { $ref?: string })['$ref'];
    return reference?.split('/').at(-1);
  };
  const note = (schema: object, example: unknown): void => {
    const name = nameOf(schema);
    if (name === undefined || example === undefined || holdsExampleKey(example)) return;
    if (!byName.has(name)) byName.set(name, example);
  };
  const notePage = (schema: object, { row, more }: PageExample): void => {
    const [name, rows] = [nameOf(schema), rowsOf(schema)];
    if (name === undefined || rows === undefined || holdsExampleKey([row, more])) return;
    note(rows, row);
    if (!besideRows.has(name)) besideRows.set(name, more);
  };
  const answers = modules.flatMap(({ routes }) => routes.flatMap(({ ok }) => ok));
  for (const { schema, example } of answers)
    if (schema !== undefined && pageParts(example) === undefined) note(schema, example);
  for (const { schema, example } of answers) {
    const parts = pageParts(example);
    if (schema !== undefined && parts !== undefined) notePage(schema, parts);
  }
  for (const { schema, example } of modules.flatMap(({ events }) => events ?? [])) note(schema, example);
  return {
    byName,
    besideRows,
    follows(schema, example) {
      const name = nameOf(schema);
      // One example of each schema is enough: another state of the same object teaches little and costs much.
      if (name !== undefined && byName.has(name)) return true;
      const [rows, parts] = [rowsOf(schema), pageParts(example)];
      if (name === undefined || rows === undefined || parts === undefined) return false;
      const rowName = nameOf(rows);
      return (
        rowName !== undefined &&
        same(byName.get(rowName), parts.row) &&
        same(besideRows.get(name) ?? {}, parts.more)
      );
    },
  };
}

type Schemas = { readonly [name: string]: Json };

/** Whether a field needs no example, because its schema, its rows or one of its variants has one. */
function hasExample(field: unknown, byName: ReadonlyMap<string, unknown>): boolean {
  const { $ref, items, anyOf } = (field ?? {}) as { $ref?: string; items?: unknown; anyOf?: unknown[] };
  if ($ref !== undefined) return byName.has($ref.split('/').at(-1) ?? '');
  return items === undefined
    ? (anyOf ?? []).some((one) => hasExample(one, byName))
    : hasExample(items, byName);
}

/** The schema with an example for each of these fields that has none. */
function withFieldExamples(schema: Json, values: Json, byName: ReadonlyMap<string, unknown>): Json {
  const { allOf, properties } = schema as { readonly allOf?: readonly Json[]; readonly properties?: Schemas };
  const shown = Object.entries(properties ?? {}).map(([name, field]) => [
    name,
    Object.hasOwn(values, name) && !hasExample(field, byName)
      ? { ...field, examples: [values[name]] }
      : field,
  ]);
  return {
    ...schema,
    ...(allOf && { allOf: allOf.map((part) => withFieldExamples(part, values, byName)) }),
    ...(properties && { properties: Object.fromEntries(shown) }),
  };
}

/** If less is saved, an object keeps its own example, because the figures of one example agree with each other. */
const SAVING_MIN = 250;

/** The schema with its example. Fields whose schemas have examples need none, if that saves enough. */
function withExample(schema: Json, example: unknown, byName: ReadonlyMap<string, unknown>): Json {
  const whole = { ...schema, examples: [example] };
  const bases = ((schema['allOf'] ?? []) as readonly Json[]).filter(({ $ref }) => $ref !== undefined);
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return whole;
  if (!bases.every((base) => hasExample(base, byName))) return whole;
  const parts = withFieldExamples(schema, example as Json, byName);
  return JSON.stringify(whole).length - JSON.stringify(parts).length < SAVING_MIN ? whole : parts;
}

/** The components with their examples. */
export const withExamples = (schemas: Schemas, { byName, besideRows }: SchemaExamples): Schemas =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      byName.has(name)
        ? withExample(schema, byName.get(name), byName)
        : withFieldExamples(schema, besideRows.get(name) ?? {}, byName),
    ]),
  );
