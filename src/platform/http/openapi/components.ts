/** Puts schemas with a name (`$id` or `title`) under `components`, and replaces their uses by references. */
import { FIELD_DESCRIPTIONS } from '../../../kernel/field-descriptions.ts';
import { documentedSchema, EXTENDED_SCHEMA, USE_DESCRIPTION } from '../../../kernel/schema.ts';
import { compact, type Json, ref } from './document.ts';
import { pascalCase } from './hoist.ts';
import { mapSubschemas, normaliseSchema } from './normalise-schema.ts';

export interface Components {
  /** A schema of an answer, with references in place of its named parts. */
  response(schema: object): Json;
  /** The same for a request. Its objects are closed, so a shared name may need a second component, `…Input`. */
  request(schema: object): Json;
  /** The description of the schema to which a reference refers. */
  descriptionOf(reference: Json): unknown;
  readonly schemas: { readonly [name: string]: Json };
}

/** `Feed run` and `feed_run` are both the component `FeedRun`. */
function componentName(schema: object): string | undefined {
  const { $id, title } = schema as { $id?: unknown; title?: unknown };
  const text = typeof $id === 'string' ? $id : title;
  if (typeof text !== 'string' || text === '') return undefined;
  return pascalCase(text);
}

/** The description of a field whose name means the same in all schemas. */
function describeFields(schema: Json): Json {
  const { properties } = schema as { properties?: Readonly<Record<string, Json>> };
  if (properties === undefined) return schema;
  const described = Object.entries(properties).map(([name, field]) => {
    const description = FIELD_DESCRIPTIONS[name];
    const silent = field['description'] === undefined && !refersTo(field);
    return [name, silent && description !== undefined ? { ...field, description } : field];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}

/** Whether the schema is a named one, or a named one or null. Then the named schema has the description. */
const refersTo = ({ $ref, anyOf }: Json): boolean =>
  $ref !== undefined || (Array.isArray(anyOf) && anyOf.some((one: Json) => one['$ref'] !== undefined));

/** The fields that an object adds to the object that it extends; undefined if it adds none. */
function ownPart(whole: Json, base: Json): Json | undefined {
  const properties = (whole['properties'] ?? {}) as Json;
  const inherited = (base['properties'] ?? {}) as Json;
  const own = Object.entries(properties).filter(
    ([name, schema]) => JSON.stringify(inherited[name]) !== JSON.stringify(schema),
  );
  const names = new Set(own.map(([name]) => name));
  const required = ((whole['required'] ?? []) as string[]).filter((name) => names.has(name));
  if (own.length === 0) return undefined;
  return compact({
    type: 'object',
    required: required.length === 0 ? undefined : required,
    properties: Object.fromEntries(own),
  });
}

/** An empty collection of components. Register all answers before the first request. */
export function createComponents(): Components {
  const schemas: Record<string, Json> = {};

  function register(name: string, schema: Json, request: boolean): string {
    const before = schemas[name];
    if (before === undefined || JSON.stringify(before) === JSON.stringify(schema)) {
      schemas[name] = schema;
      return name;
    }
    if (request && !name.endsWith('Input')) return register(`${name}Input`, schema, request);
    throw new Error(`two different schemas are called ${name}; give one of them another title`);
  }

  /** Joins the extended object and the added fields with `allOf`. This is not possible for closed objects. */
  function extend(schema: object, whole: Json): Json {
    const base = Reflect.get(schema, EXTENDED_SCHEMA);
    if (typeof base !== 'object' || base === null || whole['additionalProperties'] === false) return whole;
    // The base is described in the same way as by itself, so that none of it is repeated.
    const flat = describeFields(mapSubschemas(normaliseSchema(base), (part) => convert(part, false)));
    const { type: _, required: _required, properties: _properties, ...rest } = whole;
    const own = ownPart(whole, flat);
    return { ...rest, allOf: [convert(base, false), ...(own === undefined ? [] : [own])] };
  }

  /** The variants of a union by the value of the field that distinguishes them. */
  function mapDiscriminator(schema: Json): Json {
    const { discriminator, oneOf } = schema as { discriminator?: { propertyName: string }; oneOf?: Json[] };
    if (discriminator === undefined || oneOf === undefined) return schema;
    const entries = oneOf.map(({ $ref }) => {
      const { properties } = (schemas[String($ref).split('/').at(-1) ?? ''] ?? {}) as {
        readonly properties?: { readonly [name: string]: Json };
      };
      return [String(properties?.[discriminator.propertyName]?.['const']), $ref] as const;
    });
    return { ...schema, discriminator: { ...discriminator, mapping: Object.fromEntries(entries) } };
  }

  function convert(given: object, request: boolean): Json {
    const schema = documentedSchema(given);
    const mapped = mapSubschemas(normaliseSchema(schema), (part) => convert(part, request));
    const whole = describeFields(mapDiscriminator(mapped));
    const name = componentName(schema);
    if (name === undefined) return whole;
    const { title: _, default: preset, ...component } = extend(schema, whole);
    const description: unknown = Reflect.get(schema, USE_DESCRIPTION);
    return compact({ description, default: preset, ...ref('schemas', register(name, component, request)) });
  }

  return {
    response: (schema) => convert(schema, false),
    request: (schema) => convert(schema, true),
    descriptionOf: ({ $ref }) =>
      typeof $ref === 'string' ? schemas[$ref.split('/').at(-1) ?? '']?.['description'] : undefined,
    schemas,
  };
}
