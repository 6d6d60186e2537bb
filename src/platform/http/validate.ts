/** Validates requests. Checks are compiled once per route; failures are the structured list under `detail`. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { coreErrors, type FieldProblem, fail, invalid } from '../../kernel/errors.ts';
import { isDay, parseInstant } from '../../kernel/instant.ts';
import type { AnyRoute } from '../../kernel/route.ts';
import { closeObjects } from '../../kernel/schema.ts';
import { findUnstorableText } from '../../kernel/storable-text.ts';

/** Most findings that are listed. */
const PROBLEMS_MAX = 50;
/** Longest value that is echoed. Secrets are never echoed. */
const SECRET = /token|secret|password|authorization|cookie/i;
const INPUT_EXCERPT_MAX = 200;

const options = {
  allErrors: true,
  strict: false,
  // `1e999` is valid JSON and reads as Infinity.
  strictNumbers: true,
  removeAdditional: false,
  useDefaults: true,
  verbose: true,
  code: { optimize: false },
} as const;
const strictAjv = new Ajv({ ...options, coerceTypes: false });
const coercingAjv = new Ajv({ ...options, coerceTypes: 'array' });
for (const ajv of [strictAjv, coercingAjv]) {
  addFormats.default(ajv);
  // Instants and days are read by the same functions everywhere.
  ajv.addFormat('date-time', (text) => parseInstant(text) !== undefined);
  ajv.addFormat('date', isDay);
}

const TYPES: Readonly<Record<string, string>> = {
  required: 'missing',
  additionalProperties: 'extra_forbidden',
  pattern: 'string_pattern_mismatch',
  enum: 'enum',
  const: 'enum',
  minLength: 'string_too_short',
  maxLength: 'string_too_long',
  minimum: 'greater_than_equal',
  maximum: 'less_than_equal',
  exclusiveMinimum: 'greater_than',
  minItems: 'too_short',
  maxItems: 'too_long',
  uniqueItems: 'duplicate_items',
  format: 'format_invalid',
  anyOf: 'no_variant_matches',
  oneOf: 'no_variant_matches',
};

const typesOf = (error: ErrorObject): readonly string[] => [error.params['type']].flat();

function problemType(error: ErrorObject): string {
  if (error.keyword === 'type') return `${typesOf(error)[0]}_type`;
  return TYPES[error.keyword] ?? error.keyword;
}

function message(error: ErrorObject): string {
  switch (error.keyword) {
    case 'type':
      return `The value must be ${typesOf(error).join(' or ')}.`;
    case 'required':
      return 'This field is required.';
    case 'additionalProperties':
      return 'This field is not known here; remove it.';
    case 'enum':
      return `Must be one of: ${(error.params['allowedValues'] as unknown[]).join(', ')}.`;
    default:
      return `The value ${error.message ?? 'is not allowed'}.`;
  }
}

function location(where: string, error: ErrorObject): (string | number)[] {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const extra =
    error.keyword === 'required'
      ? error.params['missingProperty']
      : error.keyword === 'additionalProperties'
        ? error.params['additionalProperty']
        : undefined;
  const full = extra === undefined ? path : [...path, String(extra)];
  return [where, ...full.map((part) => (/^\d+$/.test(part) ? Number(part) : part))];
}

/** An excerpt of the value; none where the field's name suggests a secret. */
function excerpt(loc: readonly (string | number)[], value: unknown): { input?: unknown } {
  if (value === undefined || loc.some((part) => SECRET.test(String(part)))) return {};
  if (typeof value === 'string') return { input: value.slice(0, INPUT_EXCERPT_MAX) };
  if (value === null || typeof value !== 'object') return { input: value };
  const text = JSON.stringify(value);
  return SECRET.test(text) || text.length > INPUT_EXCERPT_MAX ? {} : { input: value };
}

/** A union of a schema and null, as `Nullable` writes it. */
const isNullable = ({ keyword, schema }: ErrorObject): boolean =>
  keyword === 'anyOf' && Array.isArray(schema) && schema.length === 2 && schema[1]?.type === 'null';

/**
 * Drops redundant findings. A union reports each failed branch and then itself; only its own finding stays. For a
 * nullable schema the finding of the other branch stays instead.
 */
function withoutRedundant(errors: readonly ErrorObject[]): ErrorObject[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf');
  return errors.filter(
    (error) =>
      !isNullable(error) &&
      unions.every(
        (union) =>
          !error.schemaPath.startsWith(`${union.schemaPath}/`) ||
          (isNullable(union) && error.schemaPath.startsWith(`${union.schemaPath}/0/`)),
      ),
  );
}

function toProblems(where: string, errors: readonly ErrorObject[]): FieldProblem[] {
  const relevant = withoutRedundant(errors);
  return (relevant.length > 0 ? relevant : errors).slice(0, PROBLEMS_MAX).map((error) => {
    const loc = location(where, error);
    const input =
      error.keyword === 'required'
        ? undefined
        : error.keyword === 'additionalProperties'
          ? Object.getOwnPropertyDescriptor(error.data, error.params['additionalProperty'])?.value
          : error.data;
    return {
      loc,
      msg: message(error),
      type: problemType(error),
      ...excerpt(loc, input),
    };
  });
}

type Check = (value: unknown) => void;

function checker(ajv: Ajv, schema: object | undefined, where: string): Check | undefined {
  if (schema === undefined) return undefined;
  let validate: ValidateFunction | undefined;
  return (value) => {
    // Compiled with its first value, so that the start does not wait for all routes.
    validate ??= ajv.compile(schema);
    if (!validate(value)) throw invalid(toProblems(where, validate.errors ?? []));
  };
}

/** A whole number in plain digits that a double holds exactly. */
const WHOLE_NUMBER = /^(0|-?[1-9]\d{0,14})$/;

/**
 * The check of path and query parameters. Coercion alone would accept everything that JavaScript reads as a number:
 * `1e2`, `0x5`, blanks, and more digits than a double holds.
 */
function textChecker(schema: object | undefined, where: 'path' | 'query'): Check | undefined {
  const check = checker(coercingAjv, schema, where);
  if (schema === undefined || check === undefined) return undefined;
  const properties = 'properties' in schema ? Object.entries(schema.properties as object) : [];
  const numbers = properties.flatMap(([name, { type }]: [string, { type?: unknown }]) =>
    type === 'integer' ? [name] : [],
  );
  if (numbers.length === 0) return check;
  return (value) => {
    const problems = numbers.flatMap((name): FieldProblem[] => {
      const text = (value as Readonly<Record<string, unknown>>)[name];
      if (typeof text !== 'string' || WHOLE_NUMBER.test(text)) return [];
      const msg = 'The value must be a whole number in plain digits.';
      return [{ loc: [where, name], msg, type: 'integer_type', ...excerpt([name], text) }];
    });
    if (problems.length > 0) throw invalid(problems);
    check(value);
  };
}

const closed = (schema: object | undefined): object => ({
  type: 'object',
  properties: {},
  ...schema,
  additionalProperties: false,
});

/**
 * Refuses text that the database cannot store: a NUL or half of a surrogate pair.
 *
 * @throws ApiError 422 of type `text_invalid`, 404 for a path
 */
export function refuseUnstorable(where: 'path' | 'query' | 'body', value: unknown): void {
  const path = findUnstorableText(value);
  if (path === undefined) return;
  // Such an identifier in a path names no object.
  if (where === 'path') throw fail(coreErrors.not_found);
  const msg = 'The text holds a NUL or half of a character; remove it.';
  throw invalid([{ loc: [where, ...path], msg, type: 'text_invalid' }]);
}

export interface RouteChecks {
  readonly params: Check | undefined;
  readonly query: Check;
  readonly body: Check | undefined;
}

/**
 * The checks of a route; unknown query parameters and body keys are refused
 * (docs/design/wire.md#unknown-keys).
 */
export function compileChecks(route: AnyRoute): RouteChecks {
  const body = route.body?.kind === 'json' ? route.body : undefined;
  return {
    params: textChecker(route.params, 'path'),
    query: textChecker(closed(route.query), 'query') as Check,
    body: checker(
      strictAjv,
      body === undefined ? undefined : body.ignoreUnknownKeys ? body.schema : closeObjects(body.schema),
      'body',
    ),
  };
}

/** The check of one JSON body, for a route that takes JSON beside other content and reads its body itself. */
export function compileBodyCheck(schema: object): Check {
  return checker(strictAjv, closeObjects(schema), 'body') as Check;
}

/** Checks answers and events against their declaration; returns the first {@link PROBLEMS_MAX} findings. */
export function compileResponseCheck(schema: object): (value: unknown) => string | undefined {
  const validate = strictAjv.compile(schema);
  return (value) => {
    if (validate(value)) return undefined;
    const { errors } = validate;
    const more = (errors?.length ?? 0) - PROBLEMS_MAX;
    return `${strictAjv.errorsText(errors?.slice(0, PROBLEMS_MAX))}${more > 0 ? `, and ${more} more` : ''}`;
  };
}
