/** The sentences of validation failures: what is wrong with a value, and how to mend it. */
import type { ErrorObject } from 'ajv';
import { nearMiss } from '../../kernel/near-miss.ts';
import { FIELD_HINTS, IGNORED_FIELD, PATTERN_REFUSAL } from '../../kernel/schema.ts';

export type Place = 'path' | 'query' | 'body';

const TYPE_NOUNS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: '`true` or `false`',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  date: 'Use a date such as 2026-12-31, of the years 1000 to 2999.',
  'date-time': 'Use an instant such as 2026-12-31T13:45:00Z, of the years 1000 to 2999.',
  email: 'Use an e-mail address such as kim@example.com.',
  'iso-4217': 'Use the ISO 4217 code of a currency, such as AUD.',
};

/** What clients that know other APIs send for paging. */
const PAGING: Readonly<Record<string, string>> = {
  page: 'cursor',
  offset: 'cursor',
  after: 'cursor',
  starting_after: 'cursor',
  page_token: 'cursor',
  per_page: 'limit',
  page_size: 'limit',
};

/** A longer list of names would hide the sentence. */
const NAMES_MAX = 20;
const NAME_CHARS_MAX = 60;
const MINOR_UNITS = 'Amounts are whole numbers of minor units: 2499 means 24.99.';

const isAmount = (name: string): boolean => name.endsWith('_minor');
const times = (count: number, one: string): string =>
  count === 1 ? `one ${one}` : `${count.toLocaleString('en')} ${one}s`;
const typesOf = (type: unknown): string[] => [type].flat().map(String);
const must = (types: readonly string[]): string =>
  `Must be ${[...new Set(types)].map((type) => TYPE_NOUNS[type] ?? type).join(' or ')}.`;

/** The field that a finding is about, without its place in lists. */
const fieldOf = ({ instancePath }: ErrorObject): string => instancePath.split('/').at(-1) ?? '';

function wrongType(error: ErrorObject, where: Place): string {
  if (where !== 'body' && Array.isArray(error.data)) return 'Send this parameter only once.';
  const sentence = must(typesOf(error.params['type']));
  return isAmount(fieldOf(error)) ? `${sentence} ${MINOR_UNITS}` : sentence;
}

/** An unknown name, with the one that was probably meant, or all that exist. */
function unknownName({ params, parentSchema = {} }: ErrorObject, where: Place): string {
  const name = String(params['additionalProperty']);
  const known = Object.entries((parentSchema['properties'] ?? {}) as Readonly<Record<string, object>>)
    .filter(([, field]) => !Reflect.has(field, IGNORED_FIELD))
    .map(([one]) => one);
  const hints = (Reflect.get(parentSchema, FIELD_HINTS) ?? {}) as Readonly<Record<string, string>>;
  const paging = where === 'query' ? known.find((one) => one === PAGING[name]) : undefined;
  const meant = (Object.hasOwn(hints, name) ? hints[name] : undefined) ?? paging ?? nearMiss(name, known);
  const what = where === 'query' ? 'query parameter' : 'field';
  const sentence = `Unknown ${what} \`${name.slice(0, NAME_CHARS_MAX)}\`.`;
  if (meant !== undefined)
    return `${sentence} Did you mean \`${meant}\`?${isAmount(meant) ? ` ${MINOR_UNITS}` : ''}`;
  if (known.length === 0) return `${sentence} No ${what}s are accepted here.`;
  return known.length > NAMES_MAX ? sentence : `${sentence} Known ${what}s: ${known.join(', ')}.`;
}

/** The types of the branches of a union, if each branch is a plain type. */
function noVariant({ schema }: ErrorObject): string {
  const branches = (Array.isArray(schema) ? schema : []) as readonly { readonly type?: unknown }[];
  const types = branches.flatMap(({ type }) => (type === undefined ? [] : typesOf(type)));
  return types.length < branches.length || types.length === 0
    ? 'The value has none of the allowed forms.'
    : must(types);
}

type Text = (error: ErrorObject, limit: number, where: Place) => string;

const TEXTS: Readonly<Record<string, Text>> = {
  type: (error, _limit, where) => wrongType(error, where),
  required: () => 'This field is required.',
  additionalProperties: (error, _limit, where) => unknownName(error, where),
  enum: ({ params }) => `Must be one of: ${(params['allowedValues'] as unknown[]).join(', ')}.`,
  const: ({ params }) => `Must be ${JSON.stringify(params['allowedValue'])}.`,
  format: ({ params }) => FORMATS[String(params['format'])] ?? 'The value has another format.',
  pattern: ({ parentSchema = {} }) =>
    String(
      Reflect.get(parentSchema, PATTERN_REFUSAL) ?? 'The text has characters that are not allowed here.',
    ),
  minLength: (_error, limit) =>
    limit === 1 ? 'Must not be empty.' : `Must have at least ${times(limit, 'character')}.`,
  maxLength: (_error, limit) => `Must have at most ${times(limit, 'character')}.`,
  minimum: (_error, limit) => `Must be at least ${limit}.`,
  maximum: (_error, limit) => `Must be at most ${limit}.`,
  exclusiveMinimum: (_error, limit) => `Must be above ${limit}.`,
  minItems: (_error, limit) => `Send at least ${times(limit, 'item')}.`,
  maxItems: (_error, limit) => `Send at most ${times(limit, 'item')}.`,
  uniqueItems: ({ params }) => `Items ${params['j']} and ${params['i']} are equal. Send each item once.`,
  minProperties: (_error, limit) => `Send at least ${times(limit, 'field')}.`,
  maxProperties: (_error, limit) => `Send at most ${times(limit, 'field')}.`,
  anyOf: (error) => noVariant(error),
  oneOf: (error) => noVariant(error),
};

/** The sentence of a finding. The validator's own words never reach a client. */
export function problemText(error: ErrorObject, where: Place): string {
  const text = TEXTS[error.keyword];
  return text === undefined ? 'The value is not allowed.' : text(error, Number(error.params['limit']), where);
}
