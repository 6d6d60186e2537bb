/** Path, query and header parameters of a route. */
import { coreErrors } from '../../../kernel/errors.ts';
import { FIELD_DESCRIPTIONS } from '../../../kernel/field-descriptions.ts';
import type { AnyRoute, HeaderDoc } from '../../../kernel/route.ts';
import type { Components } from './components.ts';
import { compact, type Json } from './document.ts';
import { isTagged } from './headers.ts';

interface ObjectSchema {
  readonly properties?: { readonly [name: string]: object };
  readonly required?: readonly string[];
}

function parameter(name: string, where: 'path' | 'query', schema: Json, required: boolean): Json {
  const { description, example, ...rest } = schema;
  return compact({
    name,
    in: where,
    required: required ? true : undefined,
    description,
    schema: rest,
    example,
  });
}

function fromSchema(schema: object | undefined, where: 'path' | 'query', components: Components): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema;
  return Object.entries(properties).map(([name, property]) => {
    const converted = components.request(property);
    // The description of a named schema is used if the parameter has none.
    const named = converted['description'] ?? components.descriptionOf(converted) ?? FIELD_DESCRIPTIONS[name];
    return parameter(
      name,
      where,
      compact({ ...converted, description: named }),
      where === 'path' || required.includes(name),
    );
  });
}

/** Parameters of the path without a schema. They accept any text, and the handler checks it. */
function fromPath(route: AnyRoute): Json[] {
  const declared = (route.params as ObjectSchema | undefined)?.properties ?? {};
  return [...route.path.matchAll(/\{(\w+)\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !(name in declared))
    .map((name) => parameter(name, 'path', { type: 'string' }, true));
}

const header = (doc: HeaderDoc, required = false): Json =>
  compact({
    name: doc.name,
    in: 'header',
    required: required ? true : undefined,
    description: doc.description,
    schema: doc.schema ?? { type: 'string' },
    example: doc.example,
  });

const IDEMPOTENCY_KEY: HeaderDoc = {
  name: 'Idempotency-Key',
  description:
    'Makes the request safe to repeat: 1 to 255 visible ASCII characters, kept for 30 days. The same key with the same request returns the first answer again; with a different request it is 409 `idempotency_key_reused`.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  example: '8f14e45f-ceea-467f-a1d6-0d6a7a3c1b52',
};
const IF_NONE_MATCH: HeaderDoc = {
  name: 'If-None-Match',
  description: 'Entity tag of the version you have; the answer is 304 while it is the present one',
  example: '"v3"',
};
const IF_MATCH: HeaderDoc = {
  name: 'If-Match',
  description:
    'Entity tag of the version that you mean to change; the answer is 412 when the resource has changed since',
  example: '"v3"',
};

function headerParameters(route: AnyRoute): Json[] {
  const { idempotency } = route.access;
  const keyed = route.method !== 'GET' && idempotency !== 'none';
  const conditional = route.errors.some(({ code }) => code === coreErrors.precondition_failed.code);
  return [
    ...(keyed ? [header(IDEMPOTENCY_KEY, idempotency === 'required')] : []),
    ...(isTagged(route) ? [header(IF_NONE_MATCH)] : []),
    ...(conditional ? [header(IF_MATCH)] : []),
    ...(route.headers ?? []).map((doc) => header(doc)),
  ];
}

/** All parameters of a route, in the order path, query, header. */
export function parametersOf(route: AnyRoute, components: Components): Json[] {
  return [
    ...fromSchema(route.params, 'path', components),
    ...fromPath(route),
    ...fromSchema(route.query, 'query', components),
    ...headerParameters(route),
  ];
}
