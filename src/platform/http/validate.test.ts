import Type from 'typebox';
import { expect, test } from 'vitest';
import { ApiError } from '../../kernel/errors.ts';
import { pageQuery } from '../../kernel/schema.ts';
import { defineRoute } from './define-route.ts';
import { compileChecks } from './validate.ts';

const checks = compileChecks(
  defineRoute({
    id: 'test.list',
    method: 'GET',
    path: '/list',
    summary: 'A list',
    access: { auth: 'public', rate: 'none', idempotency: 'none' },
    query: Type.Object({ ...pageQuery, dry_run: Type.Optional(Type.Boolean()) }),
    errors: [],
    ok: [{ status: 200, description: 'The list', schema: Type.Object({}), example: {} }],
    handler: async () => ({ body: {} }),
  }),
);

function refusal(query: Record<string, unknown>): unknown {
  try {
    checks.query(query);
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
