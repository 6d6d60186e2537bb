import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test/support/pg.ts';
import { sendBatch } from './batch.ts';
import { sql } from './sql.ts';

const database = await testDatabase();
const client = new pg.Client(database.url);
beforeAll(async () => {
  await client.connect();
});
afterAll(async () => client.end());

/** Description messages that the server has sent. */
let descriptions = 0;
beforeAll(() => {
  const connection: NodeJS.EventEmitter = Reflect.get(client, 'connection');
  connection.on('rowDescription', () => {
    descriptions += 1;
  });
});

test('results stand in the order of the statements, each with its own rows, count and command', async () => {
  const results = await sendBatch(client, [
    sql('select 1 as a, null as b union all select 2, $1', ['x']),
    sql('create temp table batch_t (n int)'),
    sql('insert into batch_t select generate_series(1, 5)'),
    sql('select n from batch_t where n > $1', [99]),
    sql('update batch_t set n = n where n < $1', [4]),
  ]);
  expect(results).toEqual([
    {
      rows: [
        { a: 1, b: null },
        { a: 2, b: 'x' },
      ],
      rowCount: 2,
      command: 'SELECT',
    },
    { rows: [], rowCount: 0, command: 'CREATE' },
    { rows: [], rowCount: 5, command: 'INSERT' },
    { rows: [], rowCount: 0, command: 'SELECT' },
    { rows: [], rowCount: 3, command: 'UPDATE' },
  ]);
});

test('a statement is described once and read the same ever after, between others', async () => {
  const first = sql('select $1::int as first, true as yes', [1]);
  const second = sql('select $1::text as second', ['b']);
  const expected = [[{ first: 1, yes: true }], [{ second: 'b' }], [{ first: 1, yes: true }]];
  const run = async () => (await sendBatch(client, [first, second, first])).map(({ rows }) => rows);
  expect(await run()).toEqual(expected);
  const before = descriptions;
  expect(await run()).toEqual(expected);
  expect(descriptions).toBe(before);
});

test('cursors of one name have the columns of their own queries', async () => {
  const fetchFrom = async (query: string) => {
    const fetch = sql('fetch forward 10 from c1');
    const [, , first, again] = await sendBatch(client, [
      sql('begin'),
      sql(`declare c1 cursor for ${query}`),
      fetch,
      fetch,
      sql('close c1'),
      sql('commit'),
    ]);
    return [first?.rows, again?.rows];
  };
  expect(await fetchFrom('select 1 as a, 2::bigint as b')).toEqual([[{ a: 1, b: 2n }], []]);
  expect(await fetchFrom("select 'x' as c")).toEqual([[{ c: 'x' }], []]);
});

test('a failed batch leaves the connection and its statements usable, whichever of them failed', async () => {
  const fresh = sql('select $1::int / $2::int as ratio', [1, 0]);
  const known = sql('select $1::text as known', ['k']);
  await sendBatch(client, [known]);
  await expect(sendBatch(client, [known, fresh, sql('select 3 as never_parsed')])).rejects.toThrow(
    'division by zero',
  );
  const [a, b, c] = await sendBatch(client, [
    known,
    { ...fresh, values: [6, 2] },
    sql('select 3 as never_parsed'),
  ]);
  expect([a?.rows, b?.rows, c?.rows]).toEqual([[{ known: 'k' }], [{ ratio: 3 }], [{ never_parsed: 3 }]]);
});

test('a statement that cannot be parsed fails each time, and not what comes after it', async () => {
  for (let attempt = 0; attempt < 3; attempt += 1)
    await expect(sendBatch(client, [sql('select from where')])).rejects.toThrow('syntax error');
  expect((await sendBatch(client, [sql('select 1 as one')]))[0]?.rows).toEqual([{ one: 1 }]);
});

test('a value that cannot be sent fails its batch alone', async () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  await expect(sendBatch(client, [sql('select 1 as a'), sql('select $1::json', [circular])])).rejects.toThrow(
    'circular',
  );
  expect((await sendBatch(client, [sql('select 1 as a')]))[0]?.rows).toEqual([{ a: 1 }]);
});
