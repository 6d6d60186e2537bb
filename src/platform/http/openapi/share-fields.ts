/**
 * Makes a component of a field that several schemas have in the same form, if that makes the description smaller. The
 * component is named after the field.
 */
import { type Json, ref } from './document.ts';
import { pascalCase } from './hoist.ts';

type Schemas = { readonly [name: string]: Json };

/** Shorter fields are repeated, because another name would cost a reader more. */
const SAVING_MIN = 60;
/** `{"$ref":"#/components/schemas/"}` around the name. */
const REFERENCE_CHARS = 33;

interface Field {
  readonly name: string;
  readonly schema: Json;
  /** The first schema that has it. */
  readonly owner: string;
  count: number;
}

const keyOf = (name: string, schema: Json): string => `${name} ${JSON.stringify(schema)}`;

/** Keywords whose value is data. */
const DATA = new Set(['examples', 'example', 'default', 'enum', 'const']);

/** Applies `change` to each field of a schema, at any depth. */
function mapFields(schema: unknown, change: (name: string, field: Json) => Json): unknown {
  if (Array.isArray(schema)) return schema.map((part) => mapFields(part, change));
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (DATA.has(key)) return [key, value];
    if (key !== 'properties') return [key, mapFields(value, change)];
    const fields = Object.entries(value as Schemas).map(([name, field]) => {
      const changed = change(name, field);
      return [name, changed === field ? mapFields(field, change) : changed];
    });
    return [key, Object.fromEntries(fields)];
  });
  return Object.fromEntries(entries);
}

const saving = ({ name, schema, count }: Field): number =>
  (count - 1) * JSON.stringify(schema).length - count * (REFERENCE_CHARS + name.length);

/**
 * A field without a description of its own has that of its component. As a component it would have none, and the name
 * of one of its owners: `PayoutRequirementAction` for the action of a channel.
 */
const isNamed = ({ $ref, anyOf, description }: Json): boolean =>
  $ref !== undefined ||
  (Array.isArray(anyOf) && description === undefined && anyOf.some((one: Json) => one['$ref'] !== undefined));

interface Shared<Rest> {
  readonly schemas: Schemas;
  readonly rest: Rest;
}

/** Replaces shared fields by references, in the schemas and in another part of the description. */
export function shareFields<Rest extends Json>(schemas: Schemas, rest: Rest): Shared<Rest> {
  const fields = new Map<string, Field>();
  for (const [owner, schema] of [...Object.entries(schemas), ['', rest] as const])
    mapFields(schema, (name, field) => {
      const key = keyOf(name, field);
      const known = fields.get(key);
      if (known === undefined) fields.set(key, { name, schema: field, owner, count: 1 });
      else known.count += 1;
      return field;
    });
  const shared: Record<string, Json> = {};
  const names = new Map<string, string>();
  for (const [key, field] of fields) {
    if (isNamed(field.schema) || saving(field) < SAVING_MIN) continue;
    const preferred = [pascalCase(field.name), pascalCase(`${field.owner} ${field.name}`)];
    // A generated client would hide a type of JavaScript, such as Error.
    const isFree = (one: string) =>
      !Object.hasOwn(schemas, one) && !Object.hasOwn(shared, one) && !(one in globalThis);
    const name = preferred.find(isFree);
    if (name === undefined) continue;
    names.set(key, name);
    shared[name] = field.schema;
  }
  const refer = <Part extends Json>(part: Part): Part =>
    mapFields(part, (name, field) => {
      const known = names.get(keyOf(name, field));
      return known === undefined ? field : ref('schemas', known);
    }) as Part;
  const all = Object.entries({ ...schemas, ...shared }).map(([name, schema]) => [name, refer(schema)]);
  return { schemas: Object.fromEntries(all), rest: refer(rest) };
}
