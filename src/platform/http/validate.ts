/** Validates requests. Each route compiles its checks once. A 422 answer lists the problems under `detail`. */
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { coreErrors, type FieldProblem, fail, invalid } from '../../kernel/errors.ts';
import { onceFor } from '../../kernel/once-for.ts';
import { withPathsAbove } from '../../kernel/paths-above.ts';
import type { AnyRoute, JsonBody } from '../../kernel/route.ts';
import { closeObjects } from '../../kernel/schema.ts';
import { findUnstorableText } from '../../kernel/storable-text.ts';
import { coercingAjv, PROBLEMS_MAX, strictAjv } from '../schema-check.ts';
import { type Place, problemText } from './problem-texts.ts';

/** An answer never shows the value of a field with such a name. */
const SECRET = /token|secret|password|authorization|cookie/i;
/** An answer shows at most this many characters of a refused value. */
const INPUT_EXCERPT_MAX = 200;

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

function location(where: Place, error: ErrorObject): (string | number)[] {
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

/** An excerpt of the value; nothing for a field whose name suggests a secret. */
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

interface Branch {
  readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
}

/** The field of a union whose constant names the variant, such as `kind`, with the constants of the variants. */
function tagOf({ schema }: ErrorObject): { readonly field: string; readonly values: unknown[] } | undefined {
  const branches = Array.isArray(schema) ? (schema as readonly Branch[]) : [];
  const field = Object.keys(branches[0]?.properties ?? {}).find((name) =>
    branches.every(({ properties }) => properties?.[name]?.const !== undefined),
  );
  return field === undefined
    ? undefined
    : { field, values: branches.map(({ properties }) => properties?.[field]?.const) };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;

/** The branch of a union whose problems say what is wrong with a value; undefined: the union itself does. */
function decidingBranch(union: ErrorObject): number | undefined {
  if (isNullable(union)) return 0;
  const tag = tagOf(union);
  const at = tag?.values.indexOf(fieldOf(union.data, tag.field)) ?? -1;
  return at === -1 ? undefined : at;
}

/** The problem of a union: that of its tag where the value has none or a wrong one. */
function problemOfUnion(union: ErrorObject): ErrorObject {
  const tag = tagOf(union);
  if (tag === undefined) return union;
  const { data, instancePath } = union;
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    return { ...union, keyword: 'type', params: { type: 'object' } };
  const value = fieldOf(data, tag.field);
  if (value === undefined) return { ...union, keyword: 'required', params: { missingProperty: tag.field } };
  const path = `${instancePath}/${tag.field}`;
  return {
    ...union,
    keyword: 'enum',
    params: { allowedValues: tag.values },
    instancePath: path,
    data: value,
  };
}

const OF_LENGTH: ReadonlySet<string> = new Set(['minLength', 'maxLength']);
const OF_FORM: ReadonlySet<string> = new Set(['pattern', 'format']);

/**
 * Drops redundant problems. A text of the wrong length has one problem, not a second one of its form; one that breaks a
 * pattern has none of its format. For a union, Ajv reports each branch and then the union; only the union's problem is kept.
 * For a nullable schema, and where a tag such as `kind` names the variant, only the problems of that branch are kept.
 */
function withoutRedundant(errors: readonly ErrorObject[]): ErrorObject[] {
  const unions = errors
    .filter(({ keyword }) => keyword === 'anyOf')
    .map((union) => ({ union, branch: decidingBranch(union) }));
  const decided = new Set(unions.flatMap(({ union, branch }) => (branch === undefined ? [] : union)));
  // A union in a list has one path in the schema for all its values, so the value is compared too. Each union is found
  // by the path of its value: a file may have a wrong field in each of its thousands of rows.
  const unionsOf = Map.groupBy(unions, ({ union }) => union.instancePath);
  const isLeft = (error: ErrorObject): boolean =>
    withPathsAbove(error.instancePath).every((path) =>
      (unionsOf.get(path) ?? []).every(
        ({ union, branch }) =>
          !error.schemaPath.startsWith(`${union.schemaPath}/`) ||
          (branch !== undefined && error.schemaPath.startsWith(`${union.schemaPath}/${branch}/`)),
      ),
    );
  const ofLength = new Set(
    errors.flatMap(({ keyword, instancePath }) => (OF_LENGTH.has(keyword) ? instancePath : [])),
  );
  const ofPattern = new Set(
    errors.flatMap(({ keyword, instancePath: at }) => (keyword === 'pattern' ? at : [])),
  );
  return errors
    .filter(
      (error) =>
        !decided.has(error) &&
        !(error.keyword === 'format' && ofPattern.has(error.instancePath)) &&
        !(OF_FORM.has(error.keyword) && ofLength.has(error.instancePath)) &&
        isLeft(error),
    )
    .map((error) => (error.keyword === 'anyOf' ? problemOfUnion(error) : error));
}

function toProblems(where: Place, errors: readonly ErrorObject[]): FieldProblem[] {
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
      msg: problemText(error, where),
      type: problemType(error),
      ...excerpt(loc, input),
    };
  });
}

/** @throws ApiError 422 with all findings */
type Check = (value: unknown) => void;
type Find = (value: unknown) => FieldProblem[];

const refusing =
  (find: Find): Check =>
  (value) => {
    const problems = find(value);
    if (problems.length > 0) throw invalid(problems);
  };

function finder(ajv: Ajv, schema: object, where: Place): Find {
  let validate: ValidateFunction | undefined;
  return (value) => {
    // The first value compiles the check, so the start of the service does not wait for all routes.
    validate ??= ajv.compile(schema);
    return validate(value) ? [] : toProblems(where, validate.errors ?? []);
  };
}

/** Whether a finding is about the same top field as one of `others`. */
const isAbout = ({ loc }: FieldProblem, others: readonly FieldProblem[]): boolean =>
  others.some((other) => other.loc[1] === undefined || other.loc[1] === loc[1]);

/** Runs the module's own check on the fields that the schema accepts, so that one answer has all findings. */
function withOwnFindings(find: Find, own: ((body: never) => readonly FieldProblem[]) | undefined): Find {
  if (own === undefined) return find;
  return (value) => {
    const problems = find(value);
    // With so many problems the list may lack some, and the module's check needs fields that are valid.
    const complete = problems.length > 0 && problems.length < PROBLEMS_MAX;
    if (!complete || typeof value !== 'object' || value === null) return problems;
    const accepted = Object.entries(value).filter(
      ([name]) => !isAbout({ loc: ['body', name] } as never, problems),
    );
    const more = own(Object.fromEntries(accepted) as never);
    return [...problems, ...more.filter((problem) => !isAbout(problem, problems))];
  };
}

/** A whole number in plain digits that JavaScript can represent exactly. */
const WHOLE_NUMBER = /^(0|-?[1-9]\d{0,14})$/;

/**
 * The check of path and query parameters. Coercion alone would accept all texts that JavaScript reads as a number:
 * `1e2`, `0x5`, blanks, and numbers with too many digits.
 */
function textFinder(schema: object, where: 'path' | 'query'): Find {
  const find = finder(coercingAjv, schema, where);
  const properties = 'properties' in schema ? Object.entries(schema.properties as object) : [];
  const numbers = properties.flatMap(([name, { type }]: [string, { type?: unknown }]) =>
    type === 'integer' ? [name] : [],
  );
  if (numbers.length === 0) return find;
  return (value) => {
    const problems = numbers.flatMap((name): FieldProblem[] => {
      const text = (value as Readonly<Record<string, unknown>>)[name];
      if (typeof text !== 'string' || WHOLE_NUMBER.test(text)) return [];
      const msg = 'Must be a whole number in plain digits.';
      return [{ loc: [where, name], msg, type: 'integer_type', ...excerpt([name], text) }];
    });
    return [...problems, ...find(value).filter((problem) => !isAbout(problem, problems))];
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
  // No object has an id with such text.
  if (where === 'path') throw fail(coreErrors.not_found);
  const msg = 'The text has a NUL or half of a surrogate pair; remove it.';
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
export const compileChecks = onceFor((route: AnyRoute): RouteChecks => {
  const body = route.body?.kind === 'json' ? route.body : undefined;
  return {
    params: route.params && refusing(textFinder(route.params, 'path')),
    query: refusing(textFinder(closed(route.query), 'query')),
    body: body && refusing(withOwnFindings(bodyFinder(body), body.findings)),
  };
});

const bodyFinder = ({ schema, ignoreUnknownKeys }: JsonBody<TSchema>): Find =>
  finder(strictAjv, ignoreUnknownKeys ? schema : closeObjects(schema), 'body');

/** Finds what is wrong with the data of an event, which may have fields that its schema does not know. */
export const compileDataFinder = (schema: object): Find => finder(strictAjv, schema, 'body');

/** The check of a JSON body, for a route that accepts several content types and reads its body itself. */
export function compileBodyCheck(schema: object): Check {
  return refusing(finder(strictAjv, closeObjects(schema), 'body'));
}
