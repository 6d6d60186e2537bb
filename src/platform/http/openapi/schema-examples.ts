/**
 * The example of a named schema stands once, at the schema. An answer, an event or a row of a list whose example
 * is the same needs none of its own: tools put it together from the schemas.
 */
import type { ModuleDef } from '../../../kernel/route.ts';
import type { Components } from './components.ts';
import { holdsExampleKey, type Json } from './document.ts';

export interface SchemaExamples {
  /** Whether tools can make the example from the schemas alone. */
  follows(schema: object, example: unknown): boolean;
  /** Example by name of the component. */
  readonly byName: ReadonlyMap<string, unknown>;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The only row of a list, where the rest of the answer is the page. */
function onlyRow(example: unknown): unknown {
  const { data, page, ...rest } = (example ?? {}) as { readonly data?: unknown; readonly page?: unknown };
  return page !== undefined && Object.keys(rest).length === 0 && Array.isArray(data) && data.length === 1
    ? data[0]
    : undefined;
}

/** The first example of each named schema among answers and events. */
export function collectExamples(modules: readonly ModuleDef[], components: Components): SchemaExamples {
  const byName = new Map<string, unknown>();
  const nameOf = (schema: object): string | undefined => {
    const reference = (components.response(schema) as { $ref?: string })['$ref'];
    return reference?.split('/').at(-1);
  };
  const note = (schema: object, example: unknown): void => {
    const name = nameOf(schema);
    if (name === undefined || example === undefined || holdsExampleKey(example)) return;
    if (!byName.has(name)) byName.set(name, example);
  };
  for (const { events, routes } of modules) {
    for (const { schema, example } of events ?? []) note(schema, example);
    for (const { schema, example } of routes.flatMap(({ ok }) => ok))
      if (schema !== undefined && onlyRow(example) === undefined) note(schema, example);
  }
  const rowsOf = (schema: object): object | undefined =>
    (schema as { properties?: { data?: { items?: object } } }).properties?.data?.items;
  return {
    byName,
    follows(schema, example) {
      const name = nameOf(schema);
      if (name !== undefined && byName.has(name)) return same(byName.get(name), example);
      const [rows, row] = [rowsOf(schema), onlyRow(example)];
      if (rows === undefined || row === undefined) return false;
      const rowName = nameOf(rows);
      return rowName !== undefined && same(byName.get(rowName), row);
    },
  };
}

/** The components with their examples. */
export const withExamples = (
  schemas: { readonly [name: string]: Json },
  { byName }: SchemaExamples,
): { readonly [name: string]: Json } =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      byName.has(name) ? { ...schema, examples: [byName.get(name)] } : schema,
    ]),
  );
