import { expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/support/app.ts';
import {
  applied,
  csv,
  type FeedFailure,
  feed,
  goods,
  type Run,
  rowsOf,
  runOf,
} from '../../../../../test/support/feeds.ts';
import { callInternal } from '../../../../../test/support/internal.ts';
import { runOn } from '../../../../../test/support/test-server.ts';

const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-03-02T00:00:00Z',
  EVIDENCE_RETENTION_DAYS: '30',
});

/** The test executes the jobs of a month. */
const LONG = { timeout: 180_000 };

const moveTo = async (now: string): Promise<void> => {
  const answer = await callInternal(app, 'POST', '/internal/v1/clock', { body: { now } });
  if (answer.status !== 200) throw new Error(`clock: ${answer.status} ${answer.text}`);
};
const kept = (): Promise<{ rows: number; files: number; chunks: number }> =>
  runOn(app.database.adminUrl, async (client) => {
    const { rows } = await client.query(
      'select (select count(*)::int from feed_row) as rows, (select count(*)::int from file) as files, ' +
        '(select count(*)::int from file_chunk) as chunks',
    );
    return rows[0];
  });

test('expired row results and files are deleted; run, counts and products stay', LONG, async () => {
  const seller = await app.seller({ plan: 'Big' });
  const run = await applied(seller, csv([goods('A'), goods('B', { price: 'x' })]));
  const preview = await applied(seller, csv([goods('C')]), { query: 'dry_run=true' });
  await feed(seller, csv([goods('D', { price: 'x' })]));
  expect(await kept()).toEqual({ rows: 4, files: 3, chunks: 3 });
  await moveTo('2026-03-31T23:00:00Z');
  expect(await kept()).toMatchObject({ rows: 4, files: 3 });
  await moveTo('2026-04-01T02:00:00Z');
  expect(await kept()).toEqual({ rows: 0, files: 0, chunks: 0 });
  const renewed = await seller.renew();
  expect(await runOf(renewed, run.run_id)).toMatchObject({
    status: 'succeeded_with_errors',
    counts: run.counts,
  });
  expect(await rowsOf(renewed, run.run_id)).toEqual([]);
  const file = await renewed.call(
    'GET',
    `/products/feed-runs/${run.run_id}/row-results?outcome=rejected&format=csv`,
  );
  expect([file.status, file.text]).toEqual([200, '']);
  // A run without evidence cannot be reverted or committed.
  const revert = await renewed.call<FeedFailure>('POST', `/products/feed-runs/${run.run_id}/revert`);
  expect([revert.status, revert.body.code]).toEqual([409, 'evidence_expired']);
  const commit = await renewed.call<FeedFailure>('POST', `/products/feed-runs/${preview.run_id}/commit`);
  expect([commit.status, commit.body.code]).toEqual([409, 'evidence_expired']);
  expect((await renewed.call('GET', '/products?sku=A')).body).toMatchObject({
    data: [{ seller_sku: 'A' }],
  });
});

test('the quota of runs restarts at midnight in Sydney', async () => {
  const seller = await app.seller();
  const left = async (of = seller) =>
    (await of.call<{ runs_remaining_today: number }>('GET', '/products/feed-contract')).body
      .runs_remaining_today;
  await applied(seller, csv([goods('A')]));
  expect(await left()).toBe(19);
  // A client may wait for the last hour of the day, and should not wait for longer.
  for (let runs = 1; runs < 20; runs += 1) await applied(seller, csv([goods('A', { quantity: runs })]));
  expect((await feed(seller, csv([goods('B')]))).body).toMatchObject({ retryable: false });
  // 23:30 of 1 April in Sydney (UTC+11).
  await moveTo('2026-04-01T12:30:00Z');
  const late = await feed(await seller.renew(), csv([goods('B')]));
  expect(late.body).toMatchObject({ retryable: true, resets_at: '2026-04-01T13:00:00.000Z' });
  expect(late.headers.get('retry-after')).toBe('1800');
  // 00:10 of 2 April in Sydney (UTC+11).
  await moveTo('2026-04-01T13:10:00Z');
  expect(await left(await seller.renew())).toBe(20);
});

test('an asynchronous run is due immediately, even when the clock stands still', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const { body, status } = await feed<Run>(seller, csv([goods('A')]), {
    headers: { prefer: 'respond-async' },
  });
  expect(status).toBe(202);
  await moveTo('2026-04-01T13:10:01Z');
  expect(await runOf(seller, body.run_id)).toMatchObject({ status: 'succeeded', counts: { created: 1 } });
});
