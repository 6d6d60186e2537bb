import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonExact } from './parse-json-exact.ts';

describe('numbers', () => {
  test.each([
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['-12345678901234567890', '-12345678901234567890'],
    ['1e400', '1e400'],
    ['-1E+999', '-1E+999'],
    ['19.95', 19.95],
    ['19.950000000000000000', 19.95],
    ['1234567890123456.78', '1234567890123456.78'],
    ['0.1000000000000000055', '0.1000000000000000055'],
    ['9312345678901', 9312345678901],
  ])('%s', (source, value) => {
    expect(parseJsonExact(`{"v":[${source}]}`)).toEqual({ v: [value] });
  });

  test('digits inside a string are text', () => {
    expect(parseJsonExact('{"v":"12345678901234567890","w":1}')).toEqual({ v: '12345678901234567890', w: 1 });
  });
});

test('everything that JSON.stringify writes comes back digit by digit', () => {
  const digits = (value: unknown) => JSON.stringify(value).replaceAll('"', '');
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(digits(parseJsonExact(JSON.stringify(value)))).toBe(digits(value));
    }),
    { numRuns: 500 },
  );
});

test('any integer keeps its digits', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (n) => {
      expect(String(parseJsonExact(String(n)))).toBe(String(n));
    }),
  );
});

test('of duplicate keys the last wins; __proto__ is a key like any other', () => {
  expect(parseJsonExact('{"a":1,"a":2}')).toEqual({ a: 2 });
  for (const text of ['{"__proto__":{"polluted":true}}', '{"__proto__":{"polluted":12345678901234567890}}']) {
    const value = parseJsonExact(text);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(value).not.toHaveProperty('polluted');
  }
});
