import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../kernel/errors.ts';
import { parseJsonBody } from './read-body.ts';
import { compileBodyCheck } from './validate.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

function refusalOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error instanceof ApiError ? error.body : error;
  }
  return undefined;
}

describe('a JSON body', () => {
  it('is read as it stands', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value);
        if (text.includes('__proto__')) return;
        expect(parseJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([65, 100_000])('nested %i levels deep is 422, not a stack that overflows', (levels) => {
    expect(refusalOf(() => parseJsonBody(Buffer.from(nested(levels))))).toMatchObject({
      detail: [{ loc: ['body'], type: 'json_invalid' }],
    });
  });

  it('may nest 64 levels, and brackets inside of texts do not count', () => {
    expect(refusalOf(() => parseJsonBody(Buffer.from(nested(64))))).toBeUndefined();
    const text = `\\" ${'['.repeat(1_000)} \\\\`;
    expect(refusalOf(() => parseJsonBody(Buffer.from(`{"a":"${text}"}`)))).toBeUndefined();
  });
});

describe('the check of a body', () => {
  const check = compileBodyCheck({ type: 'object', properties: { price: { type: 'integer' } } });

  it('refuses a number beyond every number, which JSON.parse reads as Infinity', () => {
    expect(refusalOf(() => check(parseJsonBody(Buffer.from('{"price":1e400}'))))).toMatchObject({
      detail: [{ loc: ['body', 'price'], type: 'integer_type' }],
    });
  });

  it('shows the value of an unknown key, not the whole body', () => {
    expect(refusalOf(() => check({ price: 1, plan: 'Big' }))).toMatchObject({
      detail: [{ loc: ['body', 'plan'], type: 'extra_forbidden', input: 'Big' }],
    });
  });
});
