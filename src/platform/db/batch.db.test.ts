import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test/support/pg.ts';
import { sql } from '../../../test/support/sql.ts';
import { openPipeline, sendBatch } from './batch.ts';

const database = await testDatabase();
const client = new pg.Client(database.url);
beforeAll(async () => {
  await client.connect();
});
afterAll(async () => client.end());

/** Row descriptions that the server has sent. */
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

test('a statement is described once, and its later rows are read in the same way', async () => {
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

test('calls of a pipeline resolve in order, each as soon as it is answered', async () => {
  const pipeline = openPipeline(client);
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  const slow = pipeline.send([sql('begin'), sql('select pg_sleep(0.05)'), sql('select 1 as one')], false);
  const quick = pipeline.send([sql('select $1::int as two', [2])], false);
  const [first, second] = await Promise.all([
    slow,
    quick,
    slow.then(note('slow')),
    quick.then(note('quick')),
  ]);
  expect(order).toEqual(['slow', 'quick']);
  expect([first.at(-1)?.rows, second[0]?.rows]).toEqual([[{ one: 1 }], [{ two: 2 }]]);
  expect((await pipeline.send([sql('commit')], true))[0]?.command).toBe('COMMIT');
  expect(pipeline.open).toBe(false);
  await expect(pipeline.send([sql('select 1')], false)).rejects.toThrow('has ended');
});

test('a failed call of a pipeline fails the calls after it; a savepoint continues in the next pipeline', async () => {
  const pipeline = openPipeline(client);
  const begun = pipeline.send([sql('begin'), sql('create temp table pipeline_t (n int primary key)')], false);
  const kept = pipeline.send([sql('insert into pipeline_t values (1)'), sql('savepoint s')], false);
  const failing = pipeline.send([sql('insert into pipeline_t values ($1)', [1])], false);
  const behind = pipeline.send([sql('insert into pipeline_t values ($1)', [2])], false);
  const outcomes = await Promise.allSettled([begun, kept, failing, behind]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(pipeline.open).toBe(false);
  const next = openPipeline(client);
  const back = next.send(
    [sql('rollback to savepoint s'), sql('insert into pipeline_t values ($1)', [3])],
    false,
  );
  const ended = next.send([sql('select n from pipeline_t order by n'), sql('commit')], true);
  await back;
  expect((await ended)[0]?.rows).toEqual([{ n: 1 }, { n: 3 }]);
});

test('a value that cannot be sent fails its own call, and no call before it', async () => {
  const pipeline = openPipeline(client);
  const fine = pipeline.send([sql('begin'), sql('select 1 as one')], false);
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const wrong = pipeline.send([sql('select $1::text', [circle])], false);
  const outcomes = await Promise.allSettled([fine, wrong]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  await sendBatch(client, [sql('rollback')]);
  expect((await sendBatch(client, [sql('select 5 as five')]))[0]?.rows).toEqual([{ five: 5 }]);
});

test('a commit that the server refuses is refused, not reported as done', async () => {
  await sendBatch(client, [
    sql('create temp table late_t (n int, constraint late unique (n) deferrable initially deferred)'),
  ]);
  const pipeline = openPipeline(client);
  await pipeline.send([sql('begin'), sql('insert into late_t values (1), (1)')], false);
  await expect(pipeline.send([sql('commit')], true)).rejects.toThrow('late');
});

test('statements sent in one tick are one write, also at the start of a pipeline', async () => {
  await sendBatch(client, [sql('select 1 as one')]);
  const { stream }: { stream: { write(bytes: Buffer): boolean } } = Reflect.get(client, 'connection');
  const { write } = stream;
  let writes = 0;
  stream.write = (bytes) => {
    writes += 1;
    return write.call(stream, bytes);
  };
  try {
    const pipeline = openPipeline(client);
    await Promise.all([
      pipeline.send([sql('begin'), sql('select 1 as one')], false),
      pipeline.send([sql('select 2 as two')], false),
    ]);
    expect(writes).toBe(1);
    await Promise.all([pipeline.send([sql('select 1 as one')], false), pipeline.send([sql('commit')], true)]);
    expect(writes).toBe(2);
  } finally {
    stream.write = write;
  }
});
