import { expect, test } from 'vitest';
import { startTestApp } from '../../../../test/support/app.ts';
import { applied, goodsFile, rowsOf, runOf } from '../../../../test/support/feeds.ts';
import { callInternal } from '../../../../test/support/internal.ts';
import { runOn } from '../../../../test/support/test-server.ts';

const DAY_MS = 24 * 3_600_000;

const app = await startTestApp({
  CLOCK: 'manual',
  CLOCK_START: '2026-06-28T01:00:00Z',
  EVIDENCE_RETENTION_DAYS: '7',
});
const ask = async (text: string, values: unknown[] = []): Promise<Record<string, number> | undefined> =>
  runOn(app.database.adminUrl, async (client) => (await client.query(text, values)).rows[0]);
const forward = (days: number) =>
  callInternal(app, 'POST', '/internal/v1/clock', {
    body: { now: new Date(app.app.services.now() + days * DAY_MS).toISOString() },
  });
const left = (runId: string) =>
  ask(
    'select (select count(*)::int from feed_row where run_id = $1) as rows, (select count(*)::int from file) as files, (select count(*)::int from file_chunk) as chunks',
    [runId],
  );

test('expired row results and uploads are deleted in several steps; the run stays', async () => {
  const seller = await app.seller({ plan: 'Big' });
  const run = await applied(seller, goodsFile(3, 'mug'));
  await ask(
    "insert into feed_row (seller_id, run_id, row_number, line_start, line_end, outcome, raw_sha256) select seller_id, run_id, n, n, n, 'unchanged', '' from feed_run, generate_series(4, 45000) n where run_id = $1",
    [run.run_id],
  );
  await forward(6.9);
  expect(await left(run.run_id)).toEqual({ rows: 45_000, files: 1, chunks: 1 });
  // A manual clock runs jobs that catch up once a day, or at the end of a move.
  await forward(1.1);
  expect(await left(run.run_id)).toEqual({ rows: 0, files: 0, chunks: 0 });
  const later = await seller.renew();
  expect(await runOf(later, run.run_id)).toMatchObject({
    status: 'succeeded',
    counts: { rows: 3, created: 3 },
  });
  expect(await rowsOf(later, run.run_id)).toEqual([]);
});
