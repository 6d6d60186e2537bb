import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { ApiError, type FieldProblem } from '../../kernel/errors.ts';
import { Nullable, pageQuery, StringEnum } from '../../kernel/schema.ts';
import { defineRoute } from './define-route.ts';
import { compileBodyCheck, compileChecks, compileDataFinder } from './validate.ts';

const checks = compileChecks(
  defineRoute({
    id: 'test.list',
    method: 'GET',
    path: '/list',
    summary: 'A list',
    description: 'What it does.',
    access: { auth: 'public', rate: 'none', idempotency: 'none' },
    query: Type.Object({ ...pageQuery, dry_run: Type.Optional(Type.Boolean()) }),
    errors: [],
    ok: [{ status: 200, description: 'The list', schema: Type.Object({}), example: {} }],
    handler: async () => ({ body: {} }),
  }),
);

function refusal(query: unknown, check = checks.query): unknown {
  try {
    check(query);
  } catch (error) {
    return error instanceof ApiError ? error.body['detail'] : error;
  }
  return undefined;
}

test.each(['1', '10', '200'])('limit=%s is a whole number and is read as one', (text) => {
  const query = { limit: text };
  checks.query(query);
  expect(query).toEqual({ limit: Number(text) });
});

test.each(['1e2', '05', ' 5', '5 ', '+5', '0x5', '5.0', '1_0', '٥', '', 'x', '9'.repeat(400)])(
  'limit=%j is no whole number: 422 at its name',
  (text) => {
    expect(refusal({ limit: text })).toMatchObject([{ loc: ['query', 'limit'], type: 'integer_type' }]);
  },
);

test.each(['0', '-1', '201'])('limit=%s is out of range', (text) => {
  expect(refusal({ limit: text })).toMatchObject([{ loc: ['query', 'limit'], type: expect.any(String) }]);
});

test.each(['1', 'TRUE', 'yes', ''])('dry_run=%j is no boolean', (text) => {
  expect(refusal({ dry_run: text })).toMatchObject([{ loc: ['query', 'dry_run'], type: 'boolean_type' }]);
});

test('a parameter that is given twice has no value', () => {
  expect(refusal({ limit: ['5', '6'] })).toMatchObject([{ loc: ['query', 'limit'] }]);
  expect(refusal({ limit: ['5'] })).toBeUndefined();
});

describe('a value that may be null', () => {
  const Size = Type.Object({
    width: Type.Integer(),
    unit: Type.Optional(Nullable(StringEnum(['mm', 'cm']))),
  });
  const check = compileBodyCheck(
    Type.Object({
      grade: Type.Optional(Nullable(StringEnum(['new', 'used']))),
      count: Type.Optional(Nullable(Type.Integer())),
      size: Type.Optional(Nullable(Size)),
      sizes: Type.Optional(Type.Array(Nullable(Size))),
      either: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
    }),
  );

  test.each<[unknown, (string | number)[], string, string]>([
    [{ grade: 'old' }, ['grade'], 'enum', 'Must be one of: new, used.'],
    [{ sizes: [5] }, ['sizes', 0], 'object_type', 'Must be an object.'],
    [{ count: 1.5 }, ['count'], 'integer_type', 'Must be a whole number or null.'],
    [{ size: {} }, ['size', 'width'], 'missing', 'This field is required.'],
    [
      { size: { width: 1, depth: 2 } },
      ['size', 'depth'],
      'extra_forbidden',
      'Unknown field `depth`. Known fields: width, unit.',
    ],
    [{ size: { width: 1, unit: 'km' } }, ['size', 'unit'], 'enum', 'Must be one of: mm, cm.'],
    [
      { sizes: [{ width: 1 }, { width: 'x' }] },
      ['sizes', 1, 'width'],
      'integer_type',
      'Must be a whole number.',
    ],
    [{ either: null }, ['either'], 'no_variant_matches', 'Must be text or a whole number.'],
  ])('%j is refused for what is wrong with the value', (body, path, type, msg) => {
    expect(refusal(body, check)).toMatchObject([{ loc: ['body', ...path], type, msg }]);
  });

  test('null and a right value pass', () => {
    for (const body of [
      { grade: null, count: null, size: null },
      { grade: 'new', size: { width: 1, unit: null } },
    ])
      expect(refusal(body, check)).toBeUndefined();
  });
});

describe('a union whose variants have a tag', () => {
  const variant = (kind: string, own: Type.TProperties) => Type.Object({ kind: Type.Literal(kind), ...own });
  const Price = Type.Union([
    variant('flat', { price: Type.Integer({ minimum: 0 }) }),
    variant('tiers', { tiers: Type.Array(Type.Object({ price: Type.Integer() }), { minItems: 1 }) }),
  ]);
  const check = compileBodyCheck(
    Type.Object({
      price: Type.Optional(Price),
      maybe: Type.Optional(Nullable(Price)),
      prices: Type.Optional(Type.Array(Price)),
    }),
  );

  const problems = (body: unknown) => refusal(body, check) as FieldProblem[];

  test.each<[unknown, (string | number)[], string, string]>([
    [{ price: { kind: 'flat' } }, ['price', 'price'], 'missing', 'This field is required.'],
    [{ price: { kind: 'flat', price: -1 } }, ['price', 'price'], 'greater_than_equal', 'Must be at least 0.'],
    [
      { price: { kind: 'flat', price: 1, tiers: [] } },
      ['price', 'tiers'],
      'extra_forbidden',
      'Unknown field `tiers`. Known fields: kind, price.',
    ],
    [{ price: { kind: 'none' } }, ['price', 'kind'], 'enum', 'Must be one of: flat, tiers.'],
    [{ price: { price: 1 } }, ['price', 'kind'], 'missing', 'This field is required.'],
    [{ price: 5 }, ['price'], 'object_type', 'Must be an object.'],
    [
      { maybe: { kind: 'tiers', tiers: [{}] } },
      ['maybe', 'tiers', 0, 'price'],
      'missing',
      'This field is required.',
    ],
    [{ maybe: { kind: 'x' } }, ['maybe', 'kind'], 'enum', 'Must be one of: flat, tiers.'],
    [
      {
        prices: [
          { kind: 'flat', price: 1 },
          { kind: 'tiers', tiers: [] },
          { kind: 'flat', price: 'x' },
        ],
      },
      ['prices', 1, 'tiers'],
      'too_short',
      'Send at least one item.',
    ],
  ])('%j is refused for its own field', (body, path, type, msg) => {
    expect(problems(body)[0]).toMatchObject({ loc: ['body', ...path], type, msg });
  });

  test('each value of a list is refused for its own variant', () => {
    const prices = [{ kind: 'tiers', tiers: [] }, { kind: 'flat', price: 'x' }, { kind: 'none' }];
    expect(problems({ prices }).map(({ loc, type }) => [loc.slice(1), type])).toEqual([
      [['prices', 0, 'tiers'], 'too_short'],
      [['prices', 1, 'price'], 'integer_type'],
      [['prices', 2, 'kind'], 'enum'],
    ]);
  });
});

test.each([
  ['', 'string_too_short'],
  ['xxxxxxxxxxx', 'string_too_long'],
  ['A!', 'string_pattern_mismatch'],
])('a text has one problem only: %j', (name, type) => {
  const Named = Type.Object({ name: Type.String({ minLength: 1, maxLength: 10, pattern: '^[A-Z]+$' }) });
  expect(refusal({ name }, compileBodyCheck(Named))).toMatchObject([{ loc: ['body', 'name'], type }]);
});

test.each([
  ['zz', 'string_pattern_mismatch'],
  ['2026-02-30', 'format_invalid'],
])('a day that is none has one problem only: %j', (day, type) => {
  const Dated = Type.Object({ day: Type.String({ format: 'date', pattern: '^[2-9]\\d{3}-\\d\\d-\\d\\d$' }) });
  expect(refusal({ day }, compileBodyCheck(Dated))).toMatchObject([{ loc: ['body', 'day'], type }]);
});

// To compare each finding with each union would take an hour.
test('40,000 wrong values in one list are refused, the first fifty of them by name', () => {
  const find = compileDataFinder(
    Type.Object({ rows: Type.Array(Type.Object({ id: Nullable(Type.String()) })) }),
  );
  const problems = find({ rows: Array.from({ length: 40_000 }, () => ({ id: 1 })) });
  expect(problems.map(({ loc, msg }) => [...loc, msg])).toEqual(
    Array.from({ length: 50 }, (_, row) => ['body', 'rows', row, 'id', 'Must be text or null.']),
  );
});

// To compare each object with every other would take an hour.
test('of 300,000 objects, each of which must be another, the two equal ones are named', () => {
  const item = Type.Object({ id: Type.Integer(), name: Type.Optional(Type.String()) });
  const find = compileDataFinder(Type.Object({ rows: Type.Array(item, { uniqueItems: true }) }));
  const rows = [
    { id: -1, name: 'a' },
    ...Array.from({ length: 300_000 }, (_, id) => ({ id })),
    { name: 'a', id: -1 },
  ];
  expect(find({ rows })).toMatchObject([
    { type: 'duplicate_items', msg: 'Items 0 and 300001 are equal. Send each item once.' },
  ]);
  expect(find({ rows: rows.slice(1) })).toEqual([]);
});
