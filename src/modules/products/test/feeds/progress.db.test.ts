/** Runs that wait: for connections that the seller's other requests use too, and for each other. */
import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import {
  catalogueOf,
  csv,
  eventually,
  feed,
  goods,
  isOver,
  type Run,
  runOf,
} from '../../../../../test/support/feeds.ts';
import { runOn } from '../../../../../test/support/test-server.ts';
import { ACQUIRE_TIMEOUT_MS } from '../../../../platform/db/pool.ts';

/** A seller may use two of these at the same time. */
const app = await startTestApp({ DB_POOL_SIZE: '4', LOG_LEVEL: 'silent' });

await runOn(app.database.adminUrl, async (client) => {
  await client.query(
    "create function wait_at() returns trigger language plpgsql as $$ begin if new.title like 'wait at %' then " +
      'perform pg_advisory_xact_lock(substr(new.title, 9)::int); end if; return new; end $$',
  );
  await client.query(
    'create trigger wait_at before insert on product for each row execute function wait_at()',
  );
});

test('a run continues while other requests hold all connections that its progress could use', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('select pg_advisory_lock(1), pg_advisory_lock(2)');
    const rows = Array.from({ length: 3_000 }, (_, index) => goods(`P-${index}`));
    // In the second batch and in the last.
    Object.assign(rows[1_000] ?? {}, { title: 'wait at 1' });
    Object.assign(rows[2_900] ?? {}, { title: 'wait at 2' });
    const running = feed<Run>(seller, csv(rows));
    await eventually(
      async () => (await seller.call<{ data: Run[] }>('GET', '/products/feed-runs')).body.data,
      ([run]) => (run?.progress.rows_done ?? 0) > 0,
    );
    const free = Promise.withResolvers<void>();
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const others = begun.map(({ resolve }) =>
      app.app.services.withSeller(seller.seller_id, 'write', async (db) => {
        await db.run({ text: 'select 1', values: [] });
        resolve();
        await free.promise;
      }),
    );
    await Promise.all(begun.map(({ promise }) => promise));
    await client.query('select pg_advisory_unlock(1)');
    // The last batch waits, and the progress of the batch before cannot get a connection.
    await eventually(
      () => client.query("select from pg_locks where locktype = 'advisory' and objid = 2 and not granted"),
      ({ rowCount }) => rowCount === 1,
    );
    await after(ACQUIRE_TIMEOUT_MS + 500);
    await client.query('select pg_advisory_unlock(2)');
    const answer = await running;
    free.resolve();
    await Promise.all(others);
    expect([answer.status, answer.body.counts]).toMatchObject([201, { created: 3_000 }]);
  });
});

test('a request that waits for its turn keeps its run; a run without a request is abandoned', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const runs = async () => (await seller.call<{ data: Run[] }>('GET', '/products/feed-runs')).body.data;
  await runOn(app.database.adminUrl, async (client) => {
    const dueAt = async ({ run_id }: Run): Promise<Date> => {
      const found = await client.query(
        "select due_at from job where kind = 'feed.finish' and unique_key = $1",
        [run_id],
      );
      return found.rows[0]?.due_at;
    };
    await client.query('select pg_advisory_lock(3)');
    const first = feed(seller, csv([goods('A', { title: 'wait at 3' })]));
    await eventually(
      () => client.query("select from pg_locks where locktype = 'advisory' and objid = 3 and not granted"),
      ({ rowCount }) => rowCount === 1,
    );
    const alive = feed(seller, csv([goods('B')]), { key: 'alive' });
    const dead = feed(seller, csv([goods('C')]), { key: 'dead' });
    const [one, two] = await eventually(runs, ({ length }) => length === 3);
    if (one === undefined || two === undefined) throw new Error('no runs wait');
    expect([one.status, two.status]).toEqual(['received', 'received']);
    for (const run of [one, two]) {
      const planned = await dueAt(run);
      await eventually(
        () => dueAt(run),
        (at) => at > planned,
      );
    }
    // As if its process had died: nothing postpones the job any more.
    const lost = one.idempotency_key === 'dead' ? one : two;
    await client.query(
      'create function is_due() returns trigger language plpgsql as $$ begin new.due_at := now(); return new; end $$',
    );
    await client.query(
      `create trigger is_due before update on job for each row when (new.unique_key = '${lost.run_id}')
         execute function is_due()`,
    );
    const ended = await eventually(() => runOf(seller, lost.run_id), isOver);
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'abandoned' } });
    const corrected = feed(seller, csv([goods('D')]), { key: 'dead' });
    await client.query('select pg_advisory_unlock(3)');
    const answers = await Promise.all([first, alive, dead, corrected]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 503, 201]);
  });
  expect([...(await catalogueOf(seller)).keys()].sort()).toEqual(['A', 'B', 'D']);
});
