/** Runs that wait: for connections that the seller's other requests use too, and for each other. */
import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
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
import type { Standing } from '../../../../kernel/context.ts';
import { ACQUIRE_TIMEOUT_MS } from '../../../../platform/db/pool.ts';
import { abandonRun } from '../../actions/feeds/abandon-run.ts';

/** A seller may use two of these at the same time. */
const app = await startTestApp({ DB_POOL_SIZE: '4', LOG_LEVEL: 'silent' });

type Client = Parameters<Parameters<typeof runOn>[1]>[0];

await runOn(app.database.adminUrl, async (client) => {
  await client.query(
    'create function wait_stored() returns trigger language plpgsql as $$ begin ' +
      "if new.idempotency_key = 'stored' then perform pg_advisory_xact_lock(4); end if; return new; end $$",
  );
  await client.query(
    'create trigger wait_stored before insert on feed_run for each row execute function wait_stored()',
  );
  await client.query(
    "create function wait_at() returns trigger language plpgsql as $$ begin if new.title like 'wait at %' then " +
      'perform pg_advisory_xact_lock(substr(new.title, 9)::int); end if; return new; end $$',
  );
  await client.query(
    'create trigger wait_at before insert on product for each row execute function wait_at()',
  );
});

interface Job {
  readonly due_at: Date;
  readonly due: boolean;
}

/** The job that finishes a run. */
async function jobOf(client: Client, runId: string): Promise<Job> {
  const found = await client.query(
    "select due_at, due_at < now() as due from job where kind = 'feed.finish' and payload ->> 'run_id' = $1",
    [runId],
  );
  return found.rows[0];
}

/** Takes all short connections that a seller may have. @returns gives them back */
async function takeConnections({ seller_id }: TestSeller): Promise<() => Promise<unknown>> {
  const free = Promise.withResolvers<void>();
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const taken = begun.map(({ resolve }) =>
    app.app.services.withSeller(seller_id, 'write', async (db) => {
      await db.run({ text: 'select 1', values: [] });
      resolve();
      await free.promise;
    }),
  );
  await Promise.all(begun.map(({ promise }) => promise));
  return () => {
    free.resolve();
    return Promise.all(taken);
  };
}

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
    const giveBack = await takeConnections(seller);
    await client.query('select pg_advisory_unlock(1)');
    // The last batch waits, and the progress of the batch before cannot get a connection.
    await eventually(
      () => client.query("select from pg_locks where locktype = 'advisory' and objid = 2 and not granted"),
      ({ rowCount }) => rowCount === 1,
    );
    await after(ACQUIRE_TIMEOUT_MS + 500);
    await client.query('select pg_advisory_unlock(2)');
    const answer = await running;
    await giveBack();
    expect([answer.status, answer.body.counts]).toMatchObject([201, { created: 3_000 }]);
  });
});

test('a request that waits for its turn keeps its run; a run without a request is abandoned', async () => {
  const seller = await app.seller({ plan: 'Small' });
  const runs = async () => (await seller.call<{ data: Run[] }>('GET', '/products/feed-runs')).body.data;
  await runOn(app.database.adminUrl, async (client) => {
    const dueAt = async ({ run_id }: Run): Promise<Date> => (await jobOf(client, run_id))?.due_at;
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
      `create trigger is_due before update on job for each row when (new.payload ->> 'run_id' = '${lost.run_id}')
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

test('a request that waits to accept its run keeps it for longer than the job waits; the run is applied once', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('select pg_advisory_lock(4)');
    const options = { key: 'stored', headers: { prefer: 'respond-async' } };
    const sent = feed<Run>(seller, csv([goods('A')]), options);
    await eventually(
      () => client.query("select from pg_locks where locktype = 'advisory' and objid = 4 and not granted"),
      ({ rowCount }) => rowCount === 1,
    );
    const giveBack = await takeConnections(seller);
    await client.query('select pg_advisory_unlock(4)');
    const stored = await eventually(
      () => client.query('select run_id from feed_run where seller_id = $1', [seller.seller_id]),
      ({ rowCount }) => rowCount === 1,
    );
    const { run_id } = stored.rows[0];
    const planned = await jobOf(client, run_id);
    await eventually(
      () => client.query('select now() > $1::timestamptz as late', [planned.due_at]),
      ({ rows }) => rows[0].late,
      20_000,
    );
    expect(await jobOf(client, run_id)).toMatchObject({ due: false });
    await giveBack();
    const answer = await sent;
    expect([answer.status, answer.body.run_id]).toEqual([202, run_id]);
    const again = await feed<Run>(seller, csv([goods('A')]), options);
    expect([again.status, again.text]).toEqual([202, answer.text]);
    expect(await eventually(() => runOf(seller, run_id), isOver)).toMatchObject({ counts: { created: 1 } });
    expect(await jobOf(client, run_id)).toBeUndefined();
  });
});

test('the job of a request does not end a run that was accepted in the meantime', async () => {
  const seller = await app.seller({ plan: 'Big' });
  await runOn(app.database.adminUrl, async (client) => {
    await client.query('select pg_advisory_lock(5)');
    const first = feed(seller, csv([goods('A', { title: 'wait at 5' })]));
    await eventually(
      () => client.query("select from pg_locks where locktype = 'advisory' and objid = 5 and not granted"),
      ({ rowCount }) => rowCount === 1,
    );
    const { body } = await feed<Run>(seller, csv([goods('B')]), { headers: { prefer: 'respond-async' } });
    const standing = { plan: 'Big' } as Standing;
    // As a job that read the run before it was accepted.
    expect(await abandonRun(app.app.services, seller.seller_id, body.run_id, standing)).toBe(true);
    expect(await runOf(seller, body.run_id)).toMatchObject({ status: 'received' });
    await client.query('select pg_advisory_unlock(5)');
    expect((await first).status).toBe(201);
    const ended = await eventually(() => runOf(seller, body.run_id), isOver);
    expect(ended).toMatchObject({ counts: { created: 1 } });
  });
});
