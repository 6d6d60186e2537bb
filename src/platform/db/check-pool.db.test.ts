import { pino } from 'pino';
import { expect, test } from 'vitest';
import { testDatabase } from '../../../test/support/pg.ts';
import { runOn } from '../../../test/support/test-server.ts';
import { sendBatch } from './batch.ts';
import { checkPool, explainRefusal, READ_ONLY } from './check-pool.ts';
import { createPool } from './pool.ts';

const database = await testDatabase();
const log = pino({ level: 'silent' });

/** The problem that the check finds in a pool; undefined if it works. */
async function refusal(): Promise<string | undefined> {
  const pool = createPool({ url: database.url, max: 2, name: 'check', log });
  try {
    return await checkPool(pool, 'DB_POOL_SIZE').then(
      () => undefined,
      ({ name, message }: Error) => `${name}: ${message}`,
    );
  } finally {
    await pool.end();
  }
}

test('a pool that can connect and write is fine', async () => {
  expect(await refusal()).toBe(undefined);
});

test('a database that accepts no writes is refused by name', async () => {
  const change = (clause: string) =>
    runOn(database.adminUrl, (client) => client.query(`alter database ${database.name} ${clause}`));
  await change('set default_transaction_read_only = on');
  expect(await refusal()).toMatch(/^DatabaseRefused: DATABASE_URL, connections of DB_POOL_SIZE: .*standby/);
  await runOn(database.adminUrl, (client) =>
    client.query(`begin; set transaction read write;
    alter database ${database.name} reset default_transaction_read_only; commit`),
  );
  expect(await refusal()).toBe(undefined);
});

test('a pool that gets too few connections is refused with the reason', async () => {
  const limit = (connections: number) =>
    runOn(database.adminUrl, (client) =>
      client.query(`alter database ${database.name} connection limit ${connections}`),
    );
  await limit(1);
  expect(await refusal()).toMatch(/^DatabaseRefused: .*too many connections/);
  await limit(-1);
});

test.each([['25006', 'target_session_attrs=read-write']])(
  'the error %s of a pooler or a server is explained',
  (code, sentence) => {
    expect(explainRefusal(Object.assign(new Error('refused'), { code }))).toContain(sentence);
  },
);

test('a pool whose prepared statements are lost sends them without names from then on', async () => {
  const pool = createPool({ url: database.url, max: 1, name: 'check', log });
  const lose = async (client: Awaited<ReturnType<typeof pool.take>>) => {
    await sendBatch(client, [READ_ONLY]);
    await client.query('deallocate all');
    return sendBatch(client, [READ_ONLY]);
  };
  const first = await pool.take();
  const lost = await lose(first).then(
    () => undefined,
    (error: Error) => error,
  );
  expect(lost).toMatchObject({ code: '26000' });
  pool.giveBack(first, lost);
  const second = await pool.take();
  expect(await lose(second)).toMatchObject([{ rows: [{ read_only: false }] }]);
  pool.giveBack(second);
  await pool.end();
});
