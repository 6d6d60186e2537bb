/** Small JSON Schema conventions shared by every module. */
import Type, { type Static, type TSchema } from 'typebox';

/** Objects are closed unless they say otherwise: an unknown key is a 422, never silently dropped. */
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
  const copy = Object.fromEntries(entries) as Record<string, unknown>;
  const isObject = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return isObject ? { ...copy, additionalProperties: false } : copy;
}

/** The schema, or null. Plain types become a type list, which serialises faster than a union. */
export function Nullable<T extends TSchema>(schema: T): Type.TUnsafe<Static<T> | null> {
  const plain = schema as TSchema & { type?: string; enum?: unknown[] };
  const nullable =
    typeof plain.type === 'string' &&
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

/** RFC 3339 instant in UTC, ending in `Z`. */
export const Instant = (options: object = {}): Type.TString =>
  Type.String({ format: 'date-time', ...options });

/** Envelope of every list: docs/design/wire.md#lists. */
export function Page<T extends TSchema>(item: T) {
  return Type.Object({
    data: Type.Array(item),
    page: Type.Object({
      limit: Type.Integer(),
      next_cursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      has_more: Type.Boolean(),
    }),
  });
}

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
