import { setTimeout as after } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { testDatabase } from '../../../test/support/pg.ts';
import { runOn } from '../../../test/support/test-server.ts';
import type { Logger } from '../../kernel/context.ts';
import { createPool } from './pool.ts';

const database = await testDatabase();
const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const pool = createPool({ url: database.url, max: 2, name: 'test', log: silent });
afterAll(() => pool.end());

test('a connection that is cut between two statements fails its holder only', async () => {
  const faults: unknown[] = [];
  const note = (error: unknown): void => {
    faults.push(error);
  };
  process.on('uncaughtException', note);
  const held = await pool.connect();
  const { rows } = await held.query<{ pid: number }>('select pg_backend_pid() as pid');
  await runOn(database.adminUrl, (client) => client.query('select pg_terminate_backend($1)', [rows[0]?.pid]));
  await after(300);
  process.off('uncaughtException', note);
  expect(faults).toEqual([]);
  await expect(held.query('select 1')).rejects.toThrow();
  held.release(true);
  expect((await pool.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }]);
});
