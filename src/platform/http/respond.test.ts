import fastJson from 'fast-json-stringify';
import Type from 'typebox';
import { expect, test } from 'vitest';
import { Instant, Nullable, StringEnum } from '../../kernel/schema.ts';
import { holdsMoney, withoutNullUnions } from './respond.ts';

const schema = Type.Object({
  turn: Nullable(Type.Object({ due_at: Nullable(Instant()), kinds: Type.Array(Type.String()) })),
  list: Nullable(Type.Array(Type.Object({ name: Type.String() }))),
  word: Nullable(StringEnum(['a', 'b'])),
  either: Type.Union([Type.Object({ a: Type.Integer() }), Type.Object({ b: Type.String() })]),
});

test('objects, lists and words that may be null are written as values and as null, without a union', () => {
  const plain = withoutNullUnions(schema) as Parameters<typeof fastJson>[0];
  expect(JSON.stringify(plain).match(/anyOf/g)).toHaveLength(1);
  const write = fastJson(plain);
  for (const body of [
    {
      turn: { due_at: '2026-04-07T05:00:00.000Z', kinds: ['x'] },
      list: [{ name: 'n' }],
      word: 'a',
      either: { a: 1 },
    },
    { turn: { due_at: null, kinds: [] }, list: [], word: 'b', either: { b: 'c' } },
    { turn: null, list: null, word: null, either: { a: 2 } },
  ])
    expect(JSON.parse(write(body))).toEqual(body);
});

test('amounts of money are found at any depth of a schema', () => {
  const amount = Type.Object({ price_minor: Type.Integer() });
  expect(holdsMoney([undefined, Type.Array(Nullable(amount))])).toBe(true);
  expect(holdsMoney(Type.Object({ cost: Type.Union([Type.String(), amount]) }))).toBe(true);
  expect(holdsMoney(Type.Object({ unit: Type.Object({ amount_micros: Type.Integer() }) }))).toBe(true);
  expect(holdsMoney(schema)).toBe(false);
});
