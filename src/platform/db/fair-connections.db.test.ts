/** Slow work of one seller does not delay the others. */
import { setTimeout as rest } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test/support/pg.ts';
import { sql } from '../../../test/support/sql.ts';
import { waitingFor } from './fair-connections.ts';
import { createPool } from './pool.ts';
import { createSellerStream, createWithSeller, createWithSystem, type WithSeller } from './scope.ts';

const database = await testDatabase();
const pool = createPool({ url: database.url, max: 4, name: 'shares', log: pino({ level: 'silent' }) });
afterAll(() => pool.end());
const withSeller = createWithSeller(pool);
const ONE = sql<{ one: number }>('select 1 as one');

/** A transaction of a seller that stays open until the test ends it. */
function held(of: WithSeller, sellerId: string, mode: 'snapshot' | 'write' = 'snapshot') {
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = of(sellerId, mode, async (db) => {
    await db.one(ONE);
    begun.resolve();
    await end.promise;
  });
  return { begun: begun.promise, end: end.resolve, done };
}

test('a seller with many slow requests holds at most half of the connections; another seller’s requests run', async () => {
  const open = [held(withSeller, 'slr_a'), held(withSeller, 'slr_a')];
  await Promise.all(open.map(({ begun }) => begun));
  const order: string[] = [];
  const third = withSeller('slr_a', 'read', (db) => db.one(ONE)).then(() => order.push('a'));
  const others = Array.from({ length: 8 }, () =>
    withSeller('slr_b', 'read', (db) => db.one(ONE)).then(() => order.push('b')),
  );
  await Promise.all(others);
  expect(order).toEqual(Array(8).fill('b'));
  for (const { end } of open) end();
  await Promise.all([third, ...open.map(({ done }) => done)]);
  expect(order.at(-1)).toBe('a');
});

test('streams and transactions of a seller are counted together', async () => {
  const streams = ['first', 'second'].map(() =>
    createSellerStream(pool)('slr_e', async function* (db) {
      for (;;) yield await db.one(ONE);
    }),
  );
  for (const stream of streams) expect((await stream.next()).value).toEqual({ one: 1 });
  let done = false;
  const third = createWithSeller(pool)('slr_e', 'read', (db) => db.one(ONE)).then(() => {
    done = true;
  });
  for (let count = 0; count < 5; count += 1) await withSeller('slr_b', 'write', (db) => db.one(ONE));
  expect(done).toBe(false);
  for (const stream of streams) await stream.return(undefined);
  await third;
});

test('a request that waits too long for its share is refused, and its place is free again', async () => {
  const open = [held(withSeller, 'slr_c'), held(withSeller, 'slr_c')];
  await Promise.all(open.map(({ begun }) => begun));
  const late = withSeller('slr_c', 'read', (db) => db.one(ONE));
  await expect(late).rejects.toThrow('timeout exceeded when trying to connect');
  for (const { end } of open) end();
  await Promise.all(open.map(({ done }) => done));
  const all = Array.from({ length: 10 }, () => withSeller('slr_c', 'read', (db) => db.one(ONE)));
  expect(await Promise.all(all)).toEqual(Array(10).fill({ one: 1 }));
}, 15_000);

test('the wait for the share and for the connection has one deadline, and both waits are counted', async () => {
  const others = ['slr_f', 'slr_g'].map((id) => held(withSeller, id));
  await Promise.all(others.map(({ begun }) => begun));
  const own = [held(withSeller, 'slr_h'), held(withSeller, 'slr_h')];
  await Promise.all(own.map(({ begun }) => begun));
  expect(waitingFor(pool)).toBe(0);
  const refused: string[] = [];
  const note = (name: string) => (error: Error) => refused.push(`${name}: ${error.message}`);
  const late = withSeller('slr_h', 'read', (db) => db.one(ONE)).catch(note('share'));
  await expect.poll(() => waitingFor(pool)).toBe(1);
  // Its share is released halfway, and the connection goes to the request that has waited longest.
  const greedy = held(withSeller, 'slr_i');
  await rest(300);
  const after = pool.connect().catch(note('pool'));
  await expect.poll(() => waitingFor(pool)).toBe(3);
  await rest(2_000);
  own[0]?.end();
  await greedy.begun;
  await Promise.all([late, after]);
  expect(refused).toEqual(
    ['share', 'pool'].map((name) => `${name}: timeout exceeded when trying to connect`),
  );
  for (const { end } of [...others, ...own, greedy]) end();
  await Promise.all([...others, ...own, greedy].map(({ done }) => done));
  // A connection that came too late is back in the pool.
  await expect.poll(() => [waitingFor(pool), pool.idleCount], { timeout: 10_000 }).toEqual([0, 4]);
});

test('a request that gets no connection gives back its share', async () => {
  const nowhere = createPool({
    url: 'postgres://none@127.0.0.1:1/none',
    max: 2,
    name: 'nowhere',
    log: pino({ level: 'silent' }),
  });
  const lost = createWithSeller(nowhere);
  for (let count = 0; count < 5; count += 1)
    await expect(lost('slr_d', 'read', (db) => db.one(ONE))).rejects.toThrow('ECONNREFUSED');
  await nowhere.end();
});

test('writes that do not end leave a quarter of the connections to reads, of the same seller too', async () => {
  const eight = createPool({ url: database.url, max: 8, name: 'writes', log: pino({ level: 'silent' }) });
  const [ofSeller, ofSystem] = [createWithSeller(eight), createWithSystem(eight)];
  const open = ['slr_j', 'slr_j', 'slr_j', 'slr_k', 'slr_k', 'slr_k'].map((id) =>
    held(ofSeller, id, 'write'),
  );
  await Promise.all(open.map(({ begun }) => begun));
  let wrote = 0;
  const late = [
    ofSeller('slr_j', 'write', (db) => db.one(ONE)),
    ofSeller('slr_l', 'single', (db) => db.one(ONE)),
    ofSystem('jobs', 'write', (db) => db.one(ONE)),
  ].map((write) => write.then(() => (wrote += 1)));
  expect(waitingFor(eight)).toBe(3);
  const reads = ['slr_j', 'slr_k', 'slr_l'].flatMap((id) =>
    (['read', 'snapshot'] as const).map((mode) => ofSeller(id, mode, (db) => db.one(ONE))),
  );
  expect(await Promise.all([...reads, ofSystem('jobs', 'read', (db) => db.one(ONE))])).toHaveLength(7);
  expect(wrote).toBe(0);
  for (const { end } of open) end();
  await Promise.all([...late, ...open.map(({ done }) => done)]);
  expect(waitingFor(eight)).toBe(0);
  await eight.end();
});

test('during a stall of writes, further writes are refused at once', async () => {
  const four = createPool({ url: database.url, max: 4, name: 'stalled', log: pino({ level: 'silent' }) });
  const ofSeller = createWithSeller(four);
  const open = ['slr_m', 'slr_n', 'slr_o'].map((id) => held(ofSeller, id, 'write'));
  await Promise.all(open.map(({ begun }) => begun));
  const order: string[] = [];
  const write = (name: string) =>
    ofSeller(`slr_${name}`, 'write', (db) => db.one(ONE)).catch(() => void order.push(name));
  const first = write('first');
  // Before the stall is recognised, each of these waits too.
  const late: Promise<unknown>[] = [];
  await expect
    .poll(
      () => {
        late.push(write(`late_${late.length}`));
        return order.length;
      },
      { timeout: 4_000, interval: 100 },
    )
    .toBeGreaterThan(0);
  expect(order).not.toContain('first');
  for (const { end } of open) end();
  await Promise.all([first, ...late, ...open.map(({ done }) => done)]);
  expect(order).not.toContain('first');
  await four.end();
});
