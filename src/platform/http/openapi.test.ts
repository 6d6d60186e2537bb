import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { coreErrors, defineErrors } from '../../kernel/errors.ts';
import { defineEvent } from '../../kernel/events.ts';
import { type AnyRoute, defineModule, type ModuleDef } from '../../kernel/route.ts';
import { defineRoute } from './define-route.ts';
import { buildOpenApi } from './openapi.ts';

const errors = defineErrors({
  kettle_cold: { status: 409, detail: 'The kettle is cold.', facts: { allowed: ['heat'] } },
  feed_too_large: {
    status: 413,
    detail: 'Too large.',
    schema: Type.Object({ error: Type.String() }, { title: 'FeedError' }),
  },
});
const Kettle = Type.Object({ kettle_id: Type.String(), litres: Type.Integer() }, { title: 'Kettle' });
const id = Type.Object({ kettle_id: Type.String({ description: 'Which one' }) });
const example = { kettle_id: 'ktl_1', litres: 2 };
const seller = {
  auth: 'seller',
  permission: 'catalogue:write',
  rate: 'write',
  idempotency: 'optional',
} as const;

const read = defineRoute({
  id: 'kettles.get',
  method: 'GET',
  path: '/{kettle_id}',
  summary: 'One kettle',
  description: 'What it does.',
  access: { auth: 'seller', permission: 'catalogue:read', rate: 'read', idempotency: 'none' },
  params: id,
  query: Type.Object({
    unit: Type.Optional(Type.Union([Type.Literal('l'), Type.Literal('gal')], { description: 'Unit' })),
  }),
  ok: [{ status: 200, description: 'It', schema: Kettle, example }],
  errors: [coreErrors.not_found],
  handler: async () => ({ body: example }),
});
const create = defineRoute({
  id: 'kettles.create',
  method: 'POST',
  path: '',
  summary: 'A new kettle',
  description: 'What it does.',
  access: { ...seller, idempotency: 'required', plan: 'bulk_operations', limit: 'products' },
  body: { kind: 'json', schema: Kettle, example },
  ok: [{ status: 201, description: 'Made', schema: Kettle, example }],
  errors: [errors.kettle_cold],
  handler: async () => ({ body: example }),
});
const upload = defineRoute({
  id: 'kettles.upload',
  method: 'POST',
  path: '/files',
  summary: 'Kettles from a file',
  description: 'What it does.',
  access: seller,
  headers: [{ name: 'Prefer', description: 'respond-async' }],
  body: {
    kind: 'stream',
    contentTypes: ['text/csv', 'application/zip'],
    description: 'A file',
    example: 'a,b',
  },
  ok: [
    {
      status: 200,
      description: 'Done',
      contentTypes: ['text/csv'],
      headers: [{ name: 'X-Kettle-Count', description: 'How many', example: '3' }],
    },
  ],
  errors: [errors.feed_too_large],
  handler: async () => ({}),
});
const open = defineRoute({
  id: 'kettles.public',
  method: 'POST',
  path: '/health/kettle',
  root: true,
  summary: 'Open to all',
  description: 'What it does.',
  access: { auth: 'public', rate: 'public', idempotency: 'none' },
  body: {
    kind: 'json',
    schema: Type.Object({ a: Type.Optional(Type.String()) }),
    example: {},
    ignoreUnknownKeys: true,
  },
  ok: [
    { status: 200, description: 'Yes', schema: Type.Object({ ok: Type.Boolean() }), example: { ok: true } },
  ],
  errors: [],
  handler: async () => ({ body: { ok: true } }),
});

const moduleOf = (routes: readonly AnyRoute[], more: Partial<ModuleDef> = {}): ModuleDef =>
  defineModule({
    name: 'kettles',
    base: '/kettles',
    title: 'Kettles',
    summary: 'Things that boil',
    availability: 'available',
    routes,
    ...more,
  });

/** A parsed document of any shape. */
type Loose = ReturnType<typeof JSON.parse>;
const document = (
  routes: readonly AnyRoute[] = [read, create, upload, open],
  more: Partial<ModuleDef> = {},
): Loose => JSON.parse(JSON.stringify(buildOpenApi([moduleOf(routes, more)])));
const described = document();
const operations = {
  read: described.paths['/api/v1/kettles/{kettle_id}'].get,
  create: described.paths['/api/v1/kettles'].post,
  upload: described.paths['/api/v1/kettles/files'].post,
  open: described.paths['/health/kettle'].post,
};
const resolved = (response: Loose): Loose =>
  response.$ref ? described.components.responses[response.$ref.split('/').at(-1)] : response;
const examplesOf = (response: Loose): string[] =>
  Object.keys(resolved(response).content['application/json'].examples);
/** An example that only one answer has is part of it; others are components. */
const exampleIn = (response: Loose, code: string): Loose => {
  const found = resolved(response).content['application/json'].examples[code];
  return found.$ref ? described.components.examples[code] : found;
};
const statuses = (operation: Loose): string => Object.keys(operation.responses).join(' ');

describe('schemas', () => {
  test('a titled schema is one component, open in answers', () => {
    expect(operations.read.responses['200'].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/Kettle',
    });
    expect(described.components.schemas.Kettle.additionalProperties).toBeUndefined();
  });
  test('a body is described as closed as validation closes it', () => {
    expect(operations.create.requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/KettleInput',
    });
    expect(described.components.schemas.KettleInput.additionalProperties).toBe(false);
    expect(
      operations.open.requestBody.content['application/json'].schema.additionalProperties,
    ).toBeUndefined();
  });
  test('a union of constants is an enumeration', () => {
    const unit = operations.read.parameters.find((one: Loose) => one.name === 'unit');
    expect(unit).toEqual({
      name: 'unit',
      in: 'query',
      description: 'Unit',
      schema: { type: 'string', enum: ['l', 'gal'] },
    });
  });
  test('two different answers under one title are refused', () => {
    const Other = Type.Object({ other: Type.Boolean() }, { title: 'Kettle' });
    const second: AnyRoute = {
      ...read,
      id: 'kettles.other',
      path: '/other/{kettle_id}',
      ok: [{ status: 200, description: '', schema: Other }],
    };
    expect(() => document([read, second])).toThrow(/two different schemas are called Kettle/);
  });
});

describe('errors', () => {
  test('follow from the access of the route', () => {
    expect(statuses(operations.read)).toBe('200 304 401 403 404 422 429 500 503 504');
    expect(statuses(operations.create)).toBe('201 401 402 403 408 409 413 415 422 429 500 503 504');
    expect(statuses(operations.open)).toBe('200 408 413 415 422 429 500 503 504');
  });
  test('have an example for every code', () => {
    expect(examplesOf(operations.create.responses['409'])).toEqual([
      'idempotency_in_progress',
      'idempotency_key_reused',
      'kettle_cold',
    ]);
    expect(exampleIn(operations.create.responses['409'], 'kettle_cold').value).toMatchObject({
      detail: 'The kettle is cold.',
      code: 'kettle_cold',
      allowed: ['heat'],
    });
  });
  test('show both forms of the plan boundary, word for word', () => {
    expect(examplesOf(operations.create.responses['402'])).toEqual([
      'feature_not_available.bulk_operations',
      'tier_limit_exceeded.products',
    ]);
    const limit = exampleIn(operations.create.responses['402'], 'tier_limit_exceeded.products');
    expect(Object.keys(limit.value)).toEqual([
      'error',
      'tier',
      'message',
      'upgrade_url',
      'current_usage',
      'limit',
    ]);
    expect(operations.create['x-plan']).toEqual({
      feature: 'bulk_operations',
      from: 'Small',
    });
    expect(operations.create['x-limit']).toBe('products');
  });
  test('of uploads are typed, and replace the general ones', () => {
    const tooLarge = resolved(operations.upload.responses['413']);
    expect(Object.keys(tooLarge.content['application/json'].examples)).toEqual(['feed_too_large']);
    expect(tooLarge.content['application/json'].schema).toEqual({
      allOf: [
        { $ref: '#/components/schemas/FeedError' },
        { type: 'object', properties: { error: { type: 'string', enum: ['feed_too_large'] } } },
      ],
    });
  });
  test('of an account-gated area say that it may be unavailable', () => {
    const gated = document([read], { accountGated: true }).paths['/api/v1/kettles/{kettle_id}'].get;
    expect(Object.keys(gated.responses['404'].content['application/json'].examples)).toEqual([
      'module_unavailable',
      'not_found',
    ]);
  });
});

describe('headers', () => {
  test('a key is asked for where the route takes one', () => {
    const key = (operation: Loose): Loose =>
      operation.parameters?.find((one: Loose) => one.name === 'Idempotency-Key');
    expect(key(operations.create)).toMatchObject({ in: 'header', required: true });
    expect(key(operations.upload).required).toBeUndefined();
    expect(key(operations.open)).toBeUndefined();
  });
  test('answers list their headers', () => {
    expect(Object.keys(operations.read.responses['200'].headers)).toEqual(['ETag']);
    expect(Object.keys(described['x-common-headers'])).toEqual([
      'X-Request-Id',
      'RateLimit',
      'RateLimit-Policy',
      'Idempotent-Replayed',
    ]);
    expect(Object.keys(operations.create.responses['201'].headers)).toContain('Location');
    expect(operations.upload.responses['200'].headers['X-Kettle-Count']).toEqual({
      description: 'How many',
      schema: { type: 'string' },
      example: '3',
    });
    expect(Object.keys(described.components.responses.Unauthorised.headers)).toContain('WWW-Authenticate');
    expect(Object.keys(described.components.responses.RateLimited.headers)).toContain('Retry-After');
  });
});

test('files are described by their content types', () => {
  expect(operations.upload.requestBody.content).toEqual({
    'text/csv': { schema: { type: 'string' }, example: 'a,b' },
    'application/zip': {
      schema: {
        type: 'string',
        format: 'binary',
        contentMediaType: 'application/zip',
      },
    },
  });
});

test('permission, plan, rate class and area stand beside each operation', () => {
  expect(operations.read).toMatchObject({
    'x-permission': 'catalogue:read',
    'x-rate-class': 'read',
    tags: ['Kettles'],
  });
  expect(operations.read.security).toBeUndefined();
  expect(described.security[0]).toEqual({ serviceToken: [] });
  expect(operations.create).toMatchObject({ 'x-idempotency': 'required' });
  expect(operations.open.security).toEqual([]);
});

describe('events', () => {
  const boiled = defineEvent({ type: 'kettle.boiled', summary: 'It boils', schema: Kettle, example });
  const gone = defineEvent({ ...boiled, type: 'kettle.gone', mayBeGone: true });
  const { webhooks, components, tags } = document([read], { events: [boiled, gone] });
  const objectOf = (name: string): Loose =>
    components.schemas[components.schemas[name].allOf[1].properties.data.$ref.split('/').at(-1)].properties
      .object;

  test('are webhooks with their own tag, and the object has the example', () => {
    const { post } = webhooks['kettle.boiled'];
    expect(post.requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/KettleBoiledEvent',
    });
    expect(components.schemas.Kettle.examples).toEqual([example]);
    expect(components.schemas.WebhookEvent.required).toContain('sequence');
    expect(tags.map(({ name }: Loose) => name)).toEqual(['Kettles', ...post.tags]);
  });

  test('have a null object only where the declaration says so', () => {
    const kettle = { $ref: '#/components/schemas/Kettle' };
    expect(objectOf('KettleBoiledEvent')).toEqual(kettle);
    expect(objectOf('KettleGoneEvent')).toEqual({ anyOf: [kettle, { type: 'null' }] });
  });
});

test('an answer has the example of its schema, and an example that two requests share stands once', () => {
  const other = { kettle_id: 'ktl_2', litres: 1, note: 'x'.repeat(200) };
  const made = (path: string): AnyRoute => ({
    ...create,
    id: `kettles.${path}`,
    path: `/${path}`,
    body: { kind: 'json', schema: Kettle, example: other },
    ok: [{ status: 201, description: path, schema: Kettle, example: other }],
  });
  const { paths, components } = document([read, made('one'), made('two')]);
  const { requestBody, responses } = paths['/api/v1/kettles/one'].post;
  expect(components.schemas.Kettle.examples).toEqual([example]);
  expect(JSON.stringify(responses['201'])).not.toContain('example');
  const [name] = Object.entries(components.examples).find(([, one]) =>
    JSON.stringify(one).includes('ktl_2'),
  ) ?? [''];
  expect(requestBody.content['application/json'].examples).toEqual({
    default: { $ref: `#/components/examples/${name}` },
  });
});

test('an error response lists its codes for programs', () => {
  const conflict = operations.create.responses['409'];
  expect(conflict['x-codes']).toEqual(['idempotency_in_progress', 'idempotency_key_reused', 'kettle_cold']);
  const [family, own] = conflict.content['application/json'].schema.allOf;
  expect(family).toEqual({ $ref: '#/components/schemas/ApiError' });
  expect(own.properties.code.enum).toEqual(conflict['x-codes']);
  expect(own.properties.allowed).toMatchObject({ type: 'array', items: { type: 'string' } });
});

test('every reference has a target', () => {
  const text = JSON.stringify(described);
  for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
    expect(described.components[kind], `${kind}/${name}`).toHaveProperty([name]);
  }
});
