/** Random data that the schema of an event allows, unusual values included. */
import fc from 'fast-check';

export interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const INSTANTS = [
  '2026-06-28T01:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '1582-10-10T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '9999-12-31T23:59:59-14:00',
  '2016-12-31T23:59:60Z',
];
const WORDS = ['', ' ', 'mug', '\u0000', '\ud800', '\u202e', '💥'.repeat(40), 'ord_', '%', "'", '{"a":1}'];

export function textOf({ format, pattern, maxLength = 20 }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constantFrom(...INSTANTS);
  if (pattern === '^[A-Z]{3}$') return fc.constantFrom('AUD', 'JPY', 'BHD', 'XXX', 'ZZZ');
  return fc.oneof(
    fc.constantFrom(...WORDS.map((word) => word.slice(0, maxLength)), 'x'.repeat(maxLength)),
    fc.string({ unit: 'binary', maxLength: Math.min(20, maxLength) }),
  );
}

/** @param refs existing ids, tried for every text */
export function anythingOf(schema: Schema, refs: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => anythingOf(one, refs)));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? []].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, refs)));
}

function ofType(type: string, schema: Schema, refs: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const { minimum = 0, maximum = 1_000_000_000, properties, required = [], items = {} } = schema;
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer')
    return fc.oneof(fc.constantFrom(minimum, maximum, 1, 2, 100), fc.integer({ min: minimum, max: 5 }));
  if (type === 'array')
    return fc.array(anythingOf(items, refs), { minLength: schema.minItems ?? 0, maxLength: 4 });
  const free =
    schema.format === undefined && (schema.pattern === undefined || schema.pattern.includes('u0000'));
  if (type === 'string') return free ? fc.oneof(textOf(schema), refs, refs, refs) : textOf(schema);
  if (properties === undefined) return fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue());
  const entries = Object.entries(properties).map(([name, one]) => [name, anythingOf(one, refs)] as const);
  return fc.record(Object.fromEntries(entries), { requiredKeys: [...required] });
}
