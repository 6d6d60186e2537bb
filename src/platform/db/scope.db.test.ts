/** Transactions that fail, and connections that are not given back. */
import { createConnection, createServer } from 'node:net';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test/support/pg.ts';
import { sql } from '../../../test/support/sql.ts';
import { runOn } from '../../../test/support/test-server.ts';
import type { CursorDb } from '../../kernel/context.ts';
import { createPool } from './pool.ts';
import { attempt, rehearse } from './savepoint.ts';
import { createSellerStream, createWithSeller, createWithSystem } from './scope.ts';

const database = await testDatabase();
/** A pool of one connection: a test that leaves state on it, or keeps it, makes the next one fail. */
const pool = createPool({ url: database.url, max: 1, name: 'scope', log: pino({ level: 'silent' }) });
afterAll(() => pool.end());
const withSeller = createWithSeller(pool);
const stream = createSellerStream(pool);
const ONE = sql<{ one: number }>('select 1 as one');
const FAILS = sql('select 1 / 0');
const PID = sql<{ pid: number }>('select pg_backend_pid() as pid');

const usable = async (): Promise<void> => {
  expect(await withSeller('slr_a', 'write', (db) => db.one(ONE))).toEqual({ one: 1 });
};

test.each(['snapshot', 'write'] as const)(
  'a %s handle that is used after its end is refused',
  async (mode) => {
    const kept: CursorDb[] = [];
    await withSeller('slr_a', mode, async (db) => {
      kept.push(db);
      await db.one(ONE);
    });
    await withSeller('slr_a', mode, async (db) => void kept.push(db));
    for (const db of kept) await expect(db.one(ONE)).rejects.toThrow('the transaction has ended');
    await usable();
  },
);

test.each(['read', 'snapshot', 'write'] as const)(
  'a %s uses the connection that it got before its beginning, and gives it back if it stays unused',
  async (mode) => {
    const prompt = { prompt: true };
    const pids = await withSeller(
      'slr_a',
      mode,
      async (db) => [await db.one(PID), await db.one(PID), await db.one(PID)],
      prompt,
    );
    expect(new Set(pids.map((row) => row?.pid)).size).toBe(1);
    expect(await withSeller('slr_a', mode, async () => 'nothing asked', prompt)).toBe('nothing asked');
    await usable();
    const failing = () => withSeller('slr_a', mode, () => Promise.reject(new Error('at once')), prompt);
    await expect(failing()).rejects.toThrow('at once');
    await expect(withSeller('slr_a', mode, (db) => db.one(FAILS), prompt)).rejects.toThrow('by zero');
    await usable();
  },
);

test('a transaction that fails before its first statement has a connection gives it back', async () => {
  const outcomes: Promise<PromiseSettledResult<unknown>[]>[] = [];
  const failing = withSeller('slr_a', 'write', async (db) => {
    outcomes.push(Promise.allSettled([db.one(ONE)]));
    throw new Error('meanwhile');
  });
  await expect(failing).rejects.toThrow('meanwhile');
  expect(await outcomes[0]).toMatchObject([{ reason: { message: 'the transaction has ended' } }]);
  await usable();
});

test('statements that were sent together with a failed one fail with it, and the connection stays usable', async () => {
  const all: PromiseSettledResult<unknown>[] = [];
  const failing = withSeller('slr_a', 'write', async (db) => {
    all.push(...(await Promise.allSettled([db.one(ONE), db.one(FAILS), db.one(ONE), db.one(FAILS)])));
    await db.one(ONE);
  });
  await expect(failing).rejects.toThrow('division by zero');
  expect(all.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message))).toEqual([
    { one: 1 },
    'division by zero',
    'division by zero',
    'division by zero',
  ]);
  const pid = await withSeller('slr_a', 'read', (db) => db.one(PID));
  await usable();
  expect(await withSeller('slr_a', 'read', (db) => db.one(PID))).toEqual(pid);
});

test('a savepoint that fails with statements in flight is rolled back, and the rest stays', async () => {
  const rows = await withSeller('slr_a', 'write', async (db) => {
    await db.run(sql('create temp table part_t (n int) on commit drop'));
    const insert = (n: number) => db.run(sql('insert into part_t values ($1)', [n]));
    await insert(1);
    const part = attempt(db, () => Promise.all([insert(2), db.one(FAILS), insert(3)]));
    await expect(part).rejects.toThrow('division by zero');
    await insert(4);
    return db.all(sql('select n from part_t order by n'));
  });
  expect(rows).toEqual([{ n: 1 }, { n: 4 }]);
});

const intoTable = (n: number) => sql('insert into later_t values ($1)', [n]);
const TABLE = sql('create temp table later_t (n int primary key) on commit drop');
const NUMBERS = sql<{ n: number }>('select n from later_t order by n');

test('what is sent later goes out before the next statement and in its order, also as the first of all', async () => {
  const rows = await withSeller('slr_a', 'write', async (db) => {
    db.later(TABLE);
    for (const n of [2, 1]) db.later(intoTable(n));
    db.later(sql('update later_t set n = n + 10'));
    return db.all(NUMBERS);
  });
  expect(rows).toEqual([{ n: 11 }, { n: 12 }]);
});

test('a transaction of which everything is sent later keeps the order', async () => {
  const order = 'later_order';
  await withSeller('slr_a', 'write', (db) => db.run(sql(`create temp table ${order} (n serial, what text)`)));
  const insert = (what: string) => sql(`insert into ${order} (what) values ($1)`, [what]);
  await withSeller('slr_a', 'write', async (db) => {
    for (const what of ['a', 'b', 'c']) db.later(insert(what));
  });
  const rows = await withSeller('slr_a', 'write', async (db) => {
    const found = await db.all(sql<{ what: string }>(`select what from ${order} order by n`));
    await db.run(sql(`drop table ${order}`));
    return found;
  });
  expect(rows.map(({ what }) => what)).toEqual(['a', 'b', 'c']);
});

test('a statement that is sent after the end is refused', async () => {
  const kept: CursorDb[] = [];
  await withSeller('slr_a', 'write', async (db) => {
    kept.push(db);
    await db.one(ONE);
  });
  expect(() => kept[0]?.later(ONE)).toThrow('the transaction has ended');
});

test('a transaction without a connection fails, even if its caller ignores that', async () => {
  const closed = createPool({ url: database.url, max: 1, name: 'closed', log: pino({ level: 'silent' }) });
  await closed.end();
  const written = createWithSeller(closed)('slr_a', 'write', async (db) => {
    db.later(ONE);
    await db.one(ONE).catch(() => undefined);
    return 'written';
  });
  await expect(written).rejects.toThrow();
});

test('what is sent later goes out with the commit at the latest', async () => {
  const lock = 'pg_advisory_lock(4711)';
  await withSeller('slr_a', 'write', async (db) => {
    await db.one(ONE);
    db.later(sql(`select ${lock}`));
  });
  const held = sql<{ held: boolean }>('select pg_advisory_unlock(4711) as held');
  expect(await withSeller('slr_a', 'write', (db) => db.one(held))).toEqual({ held: true });
});

test.each(['the first', 'a later'])(
  'when %s statement that nothing reads fails, so does the commit, and the connection stays usable',
  async (which) => {
    const pid = await withSeller('slr_a', 'read', (db) => db.one(PID));
    const failing = withSeller('slr_a', 'write', async (db) => {
      if (which !== 'the first') await db.one(ONE);
      db.later(FAILS);
      return 'written';
    });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    await usable();
    expect(await withSeller('slr_a', 'read', (db) => db.one(PID))).toEqual(pid);
  },
);

test('a statement that nothing reads fails with its part of a transaction, and the rest stays', async () => {
  const rows = await withSeller('slr_a', 'write', async (db) => {
    await db.run(TABLE);
    db.later(intoTable(1));
    const part = attempt(db, async () => {
      db.later(intoTable(2));
      db.later(intoTable(1));
    });
    await expect(part).rejects.toMatchObject({ code: '23505' });
    const thrown = attempt(db, async () => {
      db.later(intoTable(3));
      throw new Error('by the caller');
    });
    await expect(thrown).rejects.toThrow('by the caller');
    await rehearse(db, async () => db.later(intoTable(4)));
    db.later(intoTable(5));
    return db.all(NUMBERS);
  });
  expect(rows).toEqual([{ n: 1 }, { n: 5 }]);
});

test('only a transaction sends a statement later', async () => {
  const alone = withSeller('slr_a', 'single', async (db) => db.later(ONE));
  await expect(alone).rejects.toThrow('only a transaction');
  await usable();
});

test('a cursor may be left before its end, also by a stream', async () => {
  const numbers = sql<{ n: number }>('select n from generate_series(1, 100) as n');
  const first = await withSeller('slr_a', 'snapshot', async (db) => {
    for await (const rows of db.cursor(numbers, 10)) return rows.length;
    return 0;
  });
  expect(first).toBe(10);
  for await (const rows of stream('slr_a', (db) => db.cursor(numbers, 10))) {
    expect(rows).toHaveLength(10);
    break;
  }
  await usable();
});

test.each(['between two statements', 'during one'])('a connection that is cut %s', async (when) => {
  const cut = (pid: number) =>
    runOn(database.adminUrl, (client) => client.query('select pg_terminate_backend($1, 5000)', [pid]));
  const failing = withSeller('slr_a', 'write', async (db) => {
    const { pid } = (await db.one(PID)) ?? { pid: 0 };
    if (when === 'during one') await Promise.all([db.run(sql('select pg_sleep(60)')), db.one(ONE), cut(pid)]);
    else await cut(pid);
    await db.one(ONE);
  });
  await expect(failing).rejects.toThrow(/terminat|connection error/);
  await usable();
});

test.each([
  ['statementTimeoutMs', 'select pg_sleep(60)', 'canceling statement due to statement timeout'],
  ['lockTimeoutMs', 'select pg_advisory_xact_lock(1)', 'canceling statement due to lock timeout'],
])('%s applies to each statement, and ends the statements after it', async (bound, text, message) => {
  await runOn(database.adminUrl, async (client) => {
    await client.query('select pg_advisory_lock(1)');
    const failing = withSeller(
      'slr_a',
      'write',
      async (db) => {
        // Together they take longer than one statement may.
        await Promise.all(Array.from({ length: 4 }, () => db.run(sql('select pg_sleep(0.15)'))));
        await Promise.all([db.run(sql(text)), db.one(ONE)]);
      },
      { [bound]: 400 },
    );
    await expect(failing).rejects.toThrow(message);
  });
  await usable();
});

test('a savepoint that fails while another still sends is rolled back, and the rest stays', async () => {
  const rows = await withSeller('slr_a', 'write', async (db) => {
    await db.run(sql('create temp table part_u (n int) on commit drop'));
    const insert = (n: number) => db.run(sql('insert into part_u values ($1)', [n]));
    await insert(1);
    const twice = async () => {
      await insert(2);
      await insert(3);
    };
    await expect(attempt(db, () => Promise.all([twice(), db.one(FAILS)]))).rejects.toThrow(
      'division by zero',
    );
    await insert(4);
    return db.all(sql('select n from part_u order by n'));
  });
  expect(rows).toEqual([{ n: 1 }, { n: 4 }]);
});

test('a rollback after a failed statement does not close the connection', async () => {
  const pid = await withSeller('slr_a', 'read', (db) => db.one(PID));
  const failing = withSeller('slr_a', 'write', async (db) => {
    await db.one(ONE);
    const under = db.one(FAILS);
    under.catch(() => undefined);
    await Promise.resolve();
    await Promise.resolve();
    throw new Error('meanwhile');
  });
  await expect(failing).rejects.toThrow('meanwhile');
  expect(await withSeller('slr_a', 'read', (db) => db.one(PID))).toEqual(pid);
});

test('a transaction ends after a value that cannot be sent, although the server has not seen it', async () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const seen: unknown[] = [];
  for (const before of [[], [ONE]])
    await expect(
      withSeller('slr_a', 'write', async (db) => {
        for (const statement of before) await db.one(statement);
        await db.one(sql('select $1::text', [circle])).catch(() => undefined);
        seen.push(await db.one(sql('select current_user')).catch(() => 'refused'));
      }),
    ).rejects.toThrow();
  expect(seen).toEqual(['refused', 'refused']);
  await usable();
});

const SETTINGS = sql<Record<string, string>>(
  "select current_setting('role') as role, current_setting('app.seller_id', true) as seller, " +
    "current_setting('TimeZone') as zone, current_setting('jit') as jit, " +
    "current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock",
);
const COMMON = { zone: 'UTC', jit: 'off', statement: '20s', lock: '10s' };

/** Forwards to the database. Like a pooler it tells its clients an invented number of the server's process. */
async function poolerUrl(): Promise<string> {
  const target = new URL(database.url);
  const server = createServer((client) => {
    const upstream = createConnection(Number(target.port), target.hostname);
    client.pipe(upstream);
    upstream.once('data', function first(bytes) {
      // BackendKeyData: K, its length, the number of the process, the secret.
      const at = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
      if (at !== -1) bytes.writeInt32BE(-7, at + 5);
      else upstream.once('data', first);
      client.write(bytes);
      if (at !== -1) upstream.pipe(client);
    });
    client.on('close', () => upstream.destroy()).on('error', () => undefined);
    upstream.on('close', () => client.destroy()).on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  const url = new URL(database.url);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as { port: number }).port);
  return url.href;
}
const poolerAt = await poolerUrl();

test.each([
  ['of its own', database.url, { ...COMMON, role: 'spp_app' }],
  ['behind a pooler', poolerAt, { role: 'none', statement: '0', lock: '0' }],
])(
  'each transaction has its role, seller and limits; a session %s keeps none of another',
  async (_, url, left) => {
    const one = createPool({ url, max: 1, name: 'settings', log: pino({ level: 'silent' }) });
    const seller = createWithSeller(one);
    const system = createWithSystem(one);
    const inSeller = { ...COMMON, role: 'spp_app', seller: 'slr_a' };
    for (const mode of ['read', 'single', 'snapshot', 'write'] as const) {
      expect(await seller('slr_a', mode, (db) => db.one(SETTINGS))).toEqual(inSeller);
      expect(await system('jobs', mode, (db) => db.one(SETTINGS))).toMatchObject({
        ...COMMON,
        role: 'spp_system',
      });
      expect(await seller('slr_b', mode, (db) => db.one(SETTINGS))).toEqual({ ...inSeller, seller: 'slr_b' });
    }
    await expect(seller('slr_a', 'write', (db) => db.one(FAILS))).rejects.toThrow('by zero');
    expect((await one.query(SETTINGS.text)).rows).toEqual([expect.objectContaining({ ...left, seller: '' })]);
    await one.end();
  },
);
