/** The progress of a run is written on connections that the seller's other requests use too. */
import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import { csv, eventually, feed, goods, type Run } from '../../../../../test/support/feeds.ts';
import { runOn } from '../../../../../test/support/test-server.ts';
import { ACQUIRE_TIMEOUT_MS } from '../../../../platform/db/pool.ts';

/** A seller may use two of these at the same time. */
const app = await startTestApp({ DB_POOL_SIZE: '4', LOG_LEVEL: 'silent' });

test('a run continues while other requests hold all connections that its progress could use', async () => {
  const seller = await app.seller({ plan: 'Small' });
  await runOn(app.database.adminUrl, async (client) => {
    await client.query(
      "create function wait_at() returns trigger language plpgsql as $$ begin if new.title like 'wait at %' then " +
        'perform pg_advisory_xact_lock(substr(new.title, 9)::int); end if; return new; end $$',
    );
    await client.query(
      'create trigger wait_at before insert on product for each row execute function wait_at()',
    );
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
