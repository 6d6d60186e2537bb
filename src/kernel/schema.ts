/** Small JSON Schema conventions shared by every module. */
import Type, { type Static, type TSchema } from 'typebox';
import { PLANS } from './plans.ts';

const titleOf = (schema: TSchema): string | undefined => (schema as { title?: string }).title;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Symbol keys of a schema, which only the OpenAPI description reads. */
const symbolsOf = (schema: object): object =>
  Object.fromEntries(Object.getOwnPropertySymbols(schema).map((key) => [key, Reflect.get(schema, key)]));

/** Closes the objects of a schema, so that an unknown key gets 422. A schema can say otherwise. */
export function closeObjects(schema: object): object {
  if (Array.isArray(schema))
    return schema.map((part: object) =>
      typeof part === 'object' && part !== null ? closeObjects(part) : part,
    );
  const entries = Object.entries(schema).map(([key, value]: [string, unknown]) => [
    key,
    typeof value === 'object' && value !== null && key !== 'examples' && key !== 'default' && key !== 'enum'
      ? closeObjects(value)
      : value,
  ]);
  const copy = { ...symbolsOf(schema), ...Object.fromEntries(entries) } as Record<string, unknown>;
  const isObject = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return isObject ? { ...copy, additionalProperties: false } : copy;
}

/** The schema, or null. Plain types become a type list, which serialises faster than a union. */
export function Nullable<T extends TSchema>(schema: T): Type.TUnsafe<Static<T> | null> {
  const plain = schema as TSchema & { type?: string; enum?: unknown[] };
  const nullable =
    typeof plain.type === 'string' &&
    titleOf(schema) === undefined &&
    plain.enum === undefined &&
    plain.type !== 'object' &&
    plain.type !== 'array'
      ? { ...plain, type: [plain.type, 'null'] }
      : Type.Union([schema, Type.Null()]);
  return Type.Unsafe<Static<T> | null>(nullable);
}

/** One of some strings. */
export function StringEnum<const T extends readonly string[]>(
  values: T,
  options: object = {},
): Type.TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

/** The key under which a schema keeps the sentence for a text that its pattern refuses. */
export const PATTERN_REFUSAL: unique symbol = Symbol('pattern refusal');
/** The key under which an object keeps other names of its fields, such as those of the feed, for near misses. */
export const FIELD_HINTS: unique symbol = Symbol('field hints');

/** Marks a field that is accepted and ignored, because answers have it. It is no near miss of another name. */
export const IGNORED_FIELD: unique symbol = Symbol('ignored field');

/** The pattern of a text, with the sentence that says to people what it allows. */
export const allows = (pattern: string, refusal: string): object => ({
  pattern,
  [PATTERN_REFUSAL]: refusal,
});
/** Something besides spaces and characters without ink, such as U+200B. */
export const NOT_BLANK = allows('[^\\s\\u00ad\\u200b-\\u200f\\u2060]', 'Must not be blank.');
export const STORABLE = allows('^[^\\u0000]*$', 'The text has a NUL character; remove it.');
export const COUNTRY = allows('^[A-Z]{2}$', 'Use the two capital letters of ISO 3166-1, such as AU.');
export const CURRENCY = allows('^[A-Z]{3}$', 'Use the three capital letters of ISO 4217, such as AUD.');
/** For texts with the format of a day or an instant. */
export const DAY_FROM_2000 = allows('^2', 'Use a day of the years 2000 to 2999, such as 2026-12-31.');
export const INSTANT_FROM_2000 = allows(
  '^2.*Z$',
  'Use an instant in UTC of the years 2000 to 2999, such as 2026-12-31T13:45:00Z.',
);
export const SHA_256 = allows(
  '^[0-9a-f]{64}$',
  'Use the 64 hexadecimal digits of a SHA-256, in small letters.',
);
export const WEB_ADDRESS = allows('^https?://', 'Use an address that begins with https:// or http://.');
export const POSTCODE = allows('^\\d{4}$', 'Use the four digits of an Australian postcode, such as 2000.');

/** Name of a plan, as every answer shows it. */
export const PlanSchema = StringEnum(PLANS, { title: 'Plan', description: 'The seller’s plan' });

/** RFC 3339 instant in UTC, ending in `Z`. */
export const Instant = (options: object = {}): Type.TString =>
  Type.String({ format: 'date-time', ...options });

/** Code of a currency of ISO 4217. */
export const CurrencyCode = (options: object = {}): Type.TString =>
  Type.String({ format: 'iso-4217', ...options });

/** The key under which a schema keeps the object that it extends, for the OpenAPI description. */
export const EXTENDED_SCHEMA: unique symbol = Symbol('extended schema');
/** The key under which a named schema keeps the description of one use. */
export const USE_DESCRIPTION: unique symbol = Symbol('use description');

/**
 * A schema with a description of one use. In the OpenAPI components a named schema keeps its own description, and this
 * text is beside the reference. Write `Type.Optional` around this, not inside.
 */
export function described<T extends TSchema>(description: string, schema: T): T {
  if ('~optional' in schema) throw new Error('described() goes inside Type.Optional()');
  return titleOf(schema) === undefined
    ? { ...schema, description }
    : { ...schema, [USE_DESCRIPTION]: description };
}

/** The schema of a parameter with a default value. */
export const withDefault = <T extends TSchema>(value: Static<T>, schema: T): T => ({
  ...schema,
  default: value,
});

/** The key under which a schema keeps another schema that describes its values. */
const DOCUMENTED_AS: unique symbol = Symbol('documented as');

/**
 * A schema for a value that is sent as it is stored, and another schema that describes it for readers. In development
 * and tests, answers are checked against the second schema. In production it is not used.
 */
export const documentedAs = <T extends TSchema, W extends TSchema = T>(
  documented: T,
  written?: W,
): Type.TUnsafe<Static<W>> => Type.Unsafe<Static<W>>({ ...written, [DOCUMENTED_AS]: documented });

/** The schema that describes the values of this one. */
export const documentedSchema = (schema: object): object => {
  const documented: unknown = Reflect.get(schema, DOCUMENTED_AS);
  return typeof documented === 'object' && documented !== null ? documented : schema;
};

/** The schema, with each part replaced by the schema that describes it. */
export function withDocumentedParts(schema: object): object {
  const shown = documentedSchema(schema);
  if (Array.isArray(shown))
    return shown.map((part: unknown) => (isObject(part) ? withDocumentedParts(part) : part));
  const entries = Object.entries(shown).map(([key, value]: [string, unknown]) => [
    key,
    isObject(value) ? withDocumentedParts(value) : value,
  ]);
  return Object.fromEntries(entries);
}

/**
 * An object with all fields of another named object and more. Its OpenAPI component refers to the other one
 * (`allOf`) instead of repeating the fields.
 */
export function Extended<B extends Type.TProperties, const P extends Type.TProperties>(
  base: Type.TObject<B>,
  own: P,
  options: { readonly title: string; readonly description?: string },
) {
  return Type.Object({ ...base.properties, ...own }, { ...options, [EXTENDED_SCHEMA]: base });
}

const PageInfo = Type.Object(
  {
    page: Type.Object(
      {
        limit: Type.Integer({ description: 'Largest number of rows on this page' }),
        next_cursor: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description: 'Send it as `cursor` to read the next page; null on the last page',
        }),
        has_more: Type.Boolean({ description: 'Whether another page follows' }),
      },
      { description: 'Where this page stands in the list' },
    ),
  },
  { title: 'PageInfo', description: 'The part that every list answer has' },
);

/** The envelope of a list (docs/design/wire.md#lists), named after its rows. A list may add fields. */
export function Page<T extends TSchema, const P extends Type.TProperties = Record<never, never>>(
  item: T,
  more?: P,
  title = titleOf(item) === undefined ? undefined : `${titleOf(item)}Page`,
) {
  const rows = { data: Type.Array(item, { description: 'The rows of this page' }), ...PageInfo.properties };
  return Type.Object(
    { ...rows, ...((more ?? {}) as P) },
    title === undefined
      ? {}
      : { title, description: `One page of ${titleOf(item) ?? 'rows'}.`, [EXTENDED_SCHEMA]: PageInfo },
  );
}

/** A filter of a list by an id, or by another short name. */
export const nameFilter = (description: string) =>
  Type.Optional(Type.String({ maxLength: 100, description }));

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;

/** Query parameters of every list. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      default: PAGE_LIMIT_DEFAULT,
      description: 'Rows per page',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'Opaque `next_cursor` of the page before' }),
  ),
};
