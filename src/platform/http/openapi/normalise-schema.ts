/** Turns route schemas into the dialect of OpenAPI 3.1 (JSON Schema 2020-12), without keywords of this service. */
import type { Json } from './document.ts';

/** Keys that belong to the library that made the schema. */
const DROPPED = new Set(['$id', '$schema']);
/** Keys whose value is data, not schema. */
const DATA = new Set(['discriminator', 'example', 'examples', 'default', 'enum', 'const', 'required']);

type Loose = Record<string, unknown>;

/** Turns `anyOf` of constants into an enumeration, which is shorter and which all tools show well. */
function enumerate(schema: Loose): Loose {
  const variants = schema['anyOf'];
  if (!Array.isArray(variants) || variants.length === 0) return schema;
  const constants = variants.map((variant: Loose) =>
    'const' in variant ? variant['const'] : variant['type'] === 'null' ? null : undefined,
  );
  if (constants.some((value) => value === undefined || (value !== null && typeof value !== 'string')))
    return schema;
  const { anyOf: _, ...rest } = schema;
  return { ...rest, type: constants.includes(null) ? ['string', 'null'] : 'string', enum: constants };
}

/** A list of schemas under `items` is the older form of a tuple. */
function tuple(schema: Loose): Loose {
  if (!Array.isArray(schema['items'])) return schema;
  const { items, additionalItems: _, ...rest } = schema;
  return { ...rest, prefixItems: items, items: false };
}

/** A record with any key is an object with additional properties of one kind. */
function record(schema: Loose): Loose {
  const patterns = schema['patternProperties'] as Loose | undefined;
  const value = patterns?.['^.*$'];
  if (value === undefined) return schema;
  const { patternProperties: _, ...rest } = schema;
  return { ...rest, additionalProperties: value };
}

/** Moves the description of a value that may be null beside the choice, out of its branch. */
function raiseDescription(schema: Loose): Loose {
  const variants = schema['anyOf'];
  if (!Array.isArray(variants) || variants.length !== 2 || schema['description'] !== undefined) return schema;
  const [{ description, ...first }, second] = variants as [Loose, Loose];
  if (description === undefined || first['title'] !== undefined || second['type'] !== 'null') return schema;
  return { ...schema, description, anyOf: [first, second] };
}

/** Applies `inner` to every schema below this one; names of properties are not keywords. */
export function mapSubschemas(schema: Loose, inner: (part: Loose) => Json): Loose {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    return typeof value === 'object' && value !== null ? inner(value as Loose) : value;
  };
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (DATA.has(key)) return [key, value];
    if (key === 'properties' || key === 'patternProperties' || key === '$defs') {
      const named = Object.entries(value as Loose).map(([name, part]) => [name, visit(part)]);
      return [key, Object.fromEntries(named)];
    }
    return [key, visit(value)];
  });
  return Object.fromEntries(entries);
}

/** Leaves out a pattern with Unicode properties, because other languages have no flag for it. */
const needsFlag = (key: string, value: unknown): boolean =>
  key === 'pattern' && typeof value === 'string' && /\\p\{/i.test(value);

/** The variants of a union that one field distinguishes. */
function discriminate(schema: Loose): Loose {
  const { anyOf, discriminator, ...rest } = schema;
  return discriminator === undefined || anyOf === undefined
    ? schema
    : { ...rest, oneOf: anyOf, discriminator };
}

/** Normalises one schema without its parts, which the caller visits. */
export function normaliseSchema(schema: object): Loose {
  const kept = Object.entries(schema).filter(([key, value]) => !DROPPED.has(key) && !needsFlag(key, value));
  return discriminate(record(tuple(raiseDescription(enumerate(Object.fromEntries(kept))))));
}
