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
  rowsOf,
  runOf,
} from '../../../../../test/support/feeds.ts';
import { runOn } from '../../../../../test/support/test-server.ts';

const app = await startTestApp();
const big = () => app.seller({ plan: 'Big' });
const ASYNC = { prefer: 'respond-async' };

const over = (seller: TestSeller, runId: string) => eventually(() => runOf(seller, runId), isOver);
const cancel = <Body = Run>(seller: TestSeller, runId: string) =>
  seller.call<Body>('POST', `/products/feed-runs/${runId}/cancel`);

/** Blocks all feed runs of a seller until the returned function is called. */
async function holdFeeds(seller: TestSeller): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const done = runOn(app.database.adminUrl, async (client) => {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 2))', [
      `feeds:${seller.seller_id}`,
    ]);
    held.resolve();
    await promise;
    await client.query('rollback');
  });
  await held.promise;
  return async () => {
    resolve();
    await done;
  };
}

test.each([
  ['respond-async'],
  ['Respond-Async'],
  ['respond-async, wait=10'],
  ['return=minimal, respond-async'],
])('202 for Prefer: %s; the worker executes the run', async (prefer) => {
  const seller = await big();
  const answer = await feed(seller, goodsFile(50, 'A'), { headers: { prefer } });
  expect(answer.status).toBe(202);
  expect(answer.headers.get('preference-applied')).toBe('respond-async');
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(answer.headers.get('location')).toBe(`/api/v1/products/feed-runs/${answer.body.run_id}`);
  expect(answer.body).toMatchObject({
    status: 'received',
    row_results: [],
    progress: { rows_done: 0, rows_total: null },
    links: { cancel: `/api/v1/products/feed-runs/${answer.body.run_id}/cancel` },
  });
  const run = await over(seller, answer.body.run_id);
  expect(run).toMatchObject({ status: 'succeeded', counts: { rows: 50, created: 50 } });
  expect(await catalogueOf(seller)).toHaveProperty('size', 50);
});

test('another value of Prefer leaves the run synchronous', async () => {
  const seller = await big();
  for (const prefer of ['wait=5', 'respond-asynchronously', ''])
    expect((await feed(seller, csv([goods('A')]), { headers: { prefer } })).status).toBe(201);
});

test('402 without the plan feature precedes errors of the file', async () => {
  const seller = await app.seller({ plan: 'Small' });
  for (const path of ['/products/feed-runs', '/products/inventory/import', '/products/import-profiles']) {
    const answer = await feed(seller, '%PDF-', { headers: ASYNC, path });
    expect(answer.status).toBe(402);
    expect(answer.body).toEqual({
      error: 'feature_not_available',
      feature_name: 'async_feeds',
      tier: 'Small',
      message: expect.any(String),
      upgrade_url: '/settings/plan',
    });
  }
});

test('an asynchronous run follows the same rules', async () => {
  const seller = await big();
  const send = (body: string, query = '') => feed(seller, body, { headers: ASYNC, query });
  const bad = await send(csv([goods('A', { price: 'x' })]));
  expect(await over(seller, bad.body.run_id)).toMatchObject({ status: 'rejected', counts: { rejected: 1 } });
  const abort = await send(csv([goods('A'), goods('B', { price: 'x' })]), 'on_error=abort');
  expect(await over(seller, abort.body.run_id)).toMatchObject({
    status: 'rejected',
    counts: { rejected: 1, not_attempted: 1 },
  });
  const json = await feed(seller, '[{', { headers: ASYNC, type: 'application/json' });
  expect(await over(seller, json.body.run_id)).toMatchObject({
    status: 'rejected',
    error: { code: 'json_invalid' },
  });
  const preview = await send(csv([goods('A')]), 'dry_run=true');
  expect(await over(seller, preview.body.run_id)).toMatchObject({ status: 'succeeded', dry_run: true });
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
  expect(await rowsOf(seller, preview.body.run_id)).toMatchObject([{ outcome: 'created' }]);
});

test('progress is visible while the run executes', async () => {
  const seller = await big();
  const { body } = await feed(seller, goodsFile(15_000, 'P'), { headers: ASYNC });
  const seen = await eventually(
    () => runOf(seller, body.run_id),
    (run) => run.progress.rows_done > 0 || isOver(run),
  );
  expect(seen).toMatchObject({ status: 'applying', counts: { rows: 0 } });
  expect(seen.progress.rows_done).toBeLessThan(15_000);
  expect(await over(seller, body.run_id)).toMatchObject({
    status: 'succeeded',
    progress: { rows_done: 15_000, rows_total: 15_000 },
  });
});

/** Waits until the worker has begun the run of a seller and waits for `holdFeeds`. */
const begun = (): Promise<unknown> =>
  eventually(
    () =>
      runOn(app.database.adminUrl, async (client) => {
        const { rowCount } = await client.query(
          `select from pg_locks
            where locktype = 'advisory' and not granted
              and database = (select oid from pg_database where datname = current_database())`,
        );
        return rowCount;
      }),
    (waiting) => (waiting ?? 0) > 0,
  );

test('a repeated key of an asynchronous run gets the first 202, while it is applied and afterwards', async () => {
  const seller = await big();
  const send = () => feed(seller, goodsFile(5, 'K'), { headers: ASYNC, key: 'async' });
  const release = await holdFeeds(seller);
  const first = await send();
  await begun();
  const soon = await send();
  await release();
  await over(seller, first.body.run_id);
  const later = await send();
  for (const answer of [soon, later]) {
    expect([answer.status, answer.text]).toEqual([202, first.text]);
    expect(answer.headers.get('idempotent-replayed')).toBe('true');
    expect(answer.headers.get('preference-applied')).toBe('respond-async');
  }
});

test('a waiting run is cancelled immediately and never applied', async () => {
  const seller = await big();
  const release = await holdFeeds(seller);
  const { body } = await feed(seller, goodsFile(5, 'W'), { headers: ASYNC });
  const answer = await cancel(seller, body.run_id);
  await release();
  expect([200, 202]).toContain(answer.status);
  const run = await over(seller, body.run_id);
  expect(run).toMatchObject({ status: 'cancelled', counts: { rows: 0 }, error: { code: 'feed_cancelled' } });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await runOf(seller, body.run_id)).toEqual(run);
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
  const again = await cancel<FeedFailure>(seller, body.run_id);
  expect([again.status, again.body.code]).toEqual([409, 'run_finished']);
});

test('a cancelled run stops at its next checkpoint, synchronous or not; its key keeps the answer', async () => {
  const seller = await big();
  for (const headers of [{}, ASYNC]) {
    const key = `cancel ${JSON.stringify(headers)}`.replaceAll(/\W/g, '');
    const release = await holdFeeds(seller);
    const sent = feed<FeedFailure & Run>(seller, goodsFile(5, 'C'), { headers, key });
    const listed = await eventually(
      async () =>
        (await seller.call<{ data: Run[] }>('GET', '/products/feed-runs?status=received')).body.data[0],
      (run) => run !== undefined,
    );
    const runId = listed?.run_id ?? '';
    await cancel(seller, runId);
    await release();
    const run = await over(seller, runId);
    expect(run).toMatchObject({ status: 'cancelled', counts: { rows: 0 } });
    const answer = await sent;
    expect(answer.status).toBe('prefer' in headers ? 202 : 409);
    if (answer.status === 409)
      expect(answer.body).toMatchObject({
        error: 'feed_cancelled',
        retryable: false,
        run: { run_id: runId },
      });
    const again = await feed(seller, goodsFile(5, 'C'), { headers, key });
    expect([again.status, again.text]).toEqual([answer.status, answer.text]);
  }
  expect(await catalogueOf(seller)).toHaveProperty('size', 0);
});

test('a late cancellation that was accepted stops the run', async () => {
  const seller = await big();
  for (let delay = 0; delay < 160; delay += 40) {
    const { body } = await feed(seller, goodsFile(1_500, `D${delay}`), { headers: ASYNC });
    await eventually(
      () => runOf(seller, body.run_id),
      (run) => run.status !== 'received',
    );
    await new Promise((resolve) => setTimeout(resolve, delay));
    const answer = await cancel<FeedFailure>(seller, body.run_id);
    const run = await over(seller, body.run_id);
    const products = [...(await catalogueOf(seller)).keys()].filter((sku) => sku.startsWith(`D${delay}-`));
    if (answer.status === 409) {
      expect(answer.body.code).toBe('run_finished');
      expect([run.status, products.length]).toEqual(['succeeded', 1_500]);
    } else {
      expect(answer.status).toBe(202);
      expect([run.status, products.length]).toEqual(['cancelled', 0]);
    }
  }
});

test('409 for a run that has ended', async () => {
  const seller = await big();
  const run = await applied(seller, csv([goods('A')]));
  const answer = await cancel<FeedFailure>(seller, run.run_id);
  expect([answer.status, answer.body.code]).toEqual([409, 'run_finished']);
  expect(answer.body).toMatchObject({ status: 'succeeded' });
});

test('asynchronous runs of one seller execute one at a time and do not delay other sellers', async () => {
  const [one, other] = [await big(), await big()];
  const sent = await Promise.all(
    Array.from({ length: 6 }, (_, index) => feed(one, goodsFile(400, `T${index}`), { headers: ASYNC })),
  );
  const theirs = await feed(other, goodsFile(10, 'O'), { headers: ASYNC });
  await over(other, theirs.body.run_id);
  for (const { body } of sent) expect((await over(one, body.run_id)).status).toBe('succeeded');
  expect(await catalogueOf(one)).toHaveProperty('size', 2_400);
});
