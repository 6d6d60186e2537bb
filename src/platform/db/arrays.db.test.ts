import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anyText } from '../../../test/support/any-text.ts';
import { testDatabase } from '../../../test/support/pg.ts';
import { bigintArray, byteaArray, intArray, jsonArray, textArray } from './arrays.ts';
import { sendBatch } from './batch.ts';

const database = await testDatabase();
const client = new pg.Client(database.url);
beforeAll(async () => {
  await client.connect();
});
afterAll(async () => client.end());

async function roundTrip(type: string, parameter: Buffer): Promise<unknown[]> {
  const [result] = await sendBatch(client, [
    {
      text: `select v from unnest($1::${type}[]) with ordinality as u (v, n) order by n`,
      values: [parameter],
    },
  ]);
  return (result?.rows ?? []).map((row) => (row as { v: unknown }).v);
}

/** A PostgreSQL text can hold every character except NUL. */
const text = anyText().map((value) => value.replaceAll('\u0000', '').toWellFormed());

test('texts arrive as they were sent, quotes, backslashes, nulls and emoji included', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
      expect(await roundTrip('text', textArray(values))).toEqual(values);
    }),
    { numRuns: 60 },
  );
});

test('numbers arrive exactly up to their bounds', async () => {
  const ints = [0, -1, 2_147_483_647, -2_147_483_648, null];
  expect(await roundTrip('int4', intArray(ints))).toEqual(ints);
  const bigs = [0n, -1n, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, null];
  expect(await roundTrip('int8', bigintArray(bigs))).toEqual(bigs);
});

test('JSON, bytes and empty arrays arrive as they were sent', async () => {
  const values = [{ a: 'ü"\\', b: [1, null] }, null, []];
  const texts = values.map((value) => (value === null ? null : JSON.stringify(value)));
  expect(await roundTrip('json', jsonArray(texts))).toEqual(values);
  const bytes = [Buffer.from([0, 255, 1]), Buffer.alloc(0)];
  expect(await roundTrip('bytea', byteaArray(bytes))).toEqual(bytes);
  expect(await roundTrip('text', textArray([]))).toEqual([]);
});
