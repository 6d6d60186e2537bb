/** A synchronous run whose client got no 2xx is never applied afterwards. */
import { expect, test } from 'vitest';
import { startTestApp, type TestSeller } from '../../../../../test/support/app.ts';
import {
  applied,
  catalogueOf,
  csv,
  eventually,
  type FeedFailure,
  feed,
  goods,
  goodsFile,
  isOver,
  type Run,
  runOf,
} from '../../../../../test/support/feeds.ts';
import { runOn, withDatabase } from '../../../../../test/support/test-server.ts';

const app = await startTestApp({ MAX_SYNC_SECONDS: '5', LOG_LEVEL: 'silent' });
const big = () => app.seller({ plan: 'Big' });
const { adminUrl } = app.database;
const databaseName = new URL(adminUrl).pathname.slice(1);

const admin = (text: string): Promise<unknown> => runOn(adminUrl, (client) => client.query(text));
/** Runs statements on the server while nothing may connect to the database of the service. */
const outside = (...texts: string[]): Promise<unknown> =>
  runOn(withDatabase(adminUrl, 'postgres'), async (client) => {
    for (const text of texts) await client.query(text);
  });

/** Runs a statement as the superuser before each insert of a product with this title. */
async function sabotage(name: string, body: string): Promise<() => Promise<unknown>> {
  await admin(
    `create function ${name}() returns trigger language plpgsql security definer as $$
       begin if new.title = '${name}' then perform ${body}; end if; return new; end $$`,
  );
  await admin(`create trigger ${name} before insert on product for each row execute function ${name}()`);
  return () => admin(`drop function ${name}() cascade`);
}

const newestRun = async (seller: TestSeller): Promise<Run | undefined> =>
  (await seller.call<{ data: Run[] }>('GET', '/products/feed-runs')).body.data[0];
const over = (seller: TestSeller, runId: string) => eventually(() => runOf(seller, runId), isOver, 60_000);
const prices = async (seller: TestSeller) =>
  new Set([...(await catalogueOf(seller)).values()].map(({ price_minor }) => price_minor));

/** A file whose second batch stops at the sabotaged product. */
const stopping = (title: string): string =>
  goodsFile(500, 'S', (index) => ({ price: '10.00', ...(index === 400 ? { title } : {}) }));
const CORRECTED = goodsFile(500, 'S', () => ({ price: '11.00' }));
const ABANDONED = { status: 'failed', counts: { rows: 0, created: 0 }, error: { code: 'abandoned' } };

/** Expects that the corrected file is not overwritten, and that the old key starts a new run. */
async function expectAbandoned(seller: TestSeller, runId: string, file: string, key: string): Promise<void> {
  expect(await over(seller, runId)).toMatchObject(ABANDONED);
  expect(await prices(seller)).toEqual(new Set([1_100]));
  const again = await feed(seller, file, { key });
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
  expect(again.body.run_id).not.toBe(runId);
  expect(await runOf(seller, runId)).toMatchObject(ABANDONED);
}

test('503 when the run loses its connection: it is abandoned at once, and its key is free', async () => {
  const seller = await big();
  const mend = await sabotage('cut', 'pg_terminate_backend(pg_backend_pid()), pg_sleep(1)');
  const file = stopping('cut');
  const answer = await feed<FeedFailure>(seller, file, { key: 'cut' });
  expect(answer.status).toBe(503);
  expect(answer.body).toMatchObject({
    error: 'feed_unavailable',
    code: 'abandoned',
    retryable: true,
    run: ABANDONED,
    row_results: [],
  });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  await mend();
  await applied(seller, CORRECTED);
  await expectAbandoned(seller, answer.body.run?.run_id ?? '', file, 'cut');
});

test('503 when the database cannot be reached: the job ends the run and does not apply it', async () => {
  const seller = await big();
  const mend = await sabotage('unreachable', 'pg_sleep(20)');
  const file = stopping('unreachable');
  const sent = feed<FeedFailure>(seller, file, { key: 'unreachable' });
  const run = await eventually(
    () => newestRun(seller),
    (found) => found?.status === 'applying',
  );
  await outside(
    `alter database "${databaseName}" connection limit 0`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${databaseName}'`,
  );
  const answer = await sent;
  await outside(`alter database "${databaseName}" connection limit -1`);
  expect(answer.status).toBe(503);
  expect(answer.body).toMatchObject({
    error: 'feed_unavailable',
    code: 'feed_unavailable',
    retryable: true,
    row_results: [],
  });
  await mend();
  await applied(seller, CORRECTED);
  await expectAbandoned(seller, run?.run_id ?? '', file, 'unreachable');
});

test('a run whose client goes away before the commit is abandoned, although nothing failed', async () => {
  const seller = await big();
  const mend = await sabotage('gone', 'pg_sleep(1)');
  const controller = new AbortController();
  const sent = fetch(`${app.url}/api/v1/products/feed-runs`, {
    method: 'POST',
    body: csv([goods('A', { title: 'gone' })]),
    headers: {
      authorization: `Bearer ${seller.token}`,
      'content-type': 'text/csv',
      'idempotency-key': 'gone',
    },
    signal: controller.signal,
  }).catch((error: Error) => error.name);
  const run = await eventually(
    () => newestRun(seller),
    (found) => found !== undefined,
  );
  controller.abort();
  expect(await sent).toBe('AbortError');
  // It waits for the first run of the seller.
  await applied(seller, csv([goods('A', { title: 'Corrected' })]));
  expect(await over(seller, run?.run_id ?? '')).toMatchObject(ABANDONED);
  expect((await catalogueOf(seller)).get('A')).toMatchObject({ title: 'Corrected', version: 1 });
  await mend();
  const again = await feed(seller, csv([goods('A', { title: 'gone' })]), { key: 'gone' });
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
});

test('a revert whose client goes away before the commit changes nothing', async () => {
  const seller = await big();
  const { run_id } = await applied(seller, csv([goods('A')]));
  await admin(
    `create function slow_revert() returns trigger language plpgsql as $$
       begin perform pg_sleep(1); return old; end $$`,
  );
  await admin(
    'create trigger slow_revert before delete on product for each row execute function slow_revert()',
  );
  const controller = new AbortController();
  const sent = fetch(`${app.url}/api/v1/products/feed-runs/${run_id}/revert`, {
    method: 'POST',
    headers: { authorization: `Bearer ${seller.token}`, 'idempotency-key': 'gone-revert' },
    signal: controller.signal,
  }).catch((error: Error) => error.name);
  const sleeping =
    "select from pg_stat_activity where wait_event = 'PgSleep' and query like '%delete from product%'";
  await runOn(adminUrl, async (client) => {
    await expect.poll(async () => (await client.query(sleeping)).rowCount).toBe(1);
    controller.abort();
    expect(await sent).toBe('AbortError');
    await expect.poll(async () => (await client.query(sleeping)).rowCount, { timeout: 5_000 }).toBe(0);
  });
  await admin('drop function slow_revert() cascade');
  // Runs of the seller follow each other, so the revert has ended before this file is applied.
  await applied(seller, csv([goods('B')]));
  expect([...(await catalogueOf(seller)).keys()].sort()).toEqual(['A', 'B']);
});
