/** A manual clock that is set back while no seller exists. Recurring jobs must follow it to the earlier time. */
import { expect, test } from 'vitest';
import { begin, tellUntil } from '../../test/golden/story.ts';
import { startTestApp } from '../../test/support/app.ts';
import { eventually } from '../../test/support/feeds.ts';
import { callInternal } from '../../test/support/internal.ts';
import { runOn } from '../../test/support/test-server.ts';

const START = '2026-06-25T00:00:00.000Z';
const LATER = '2026-07-25T00:00:00.000Z';
const DAY_MS = 24 * 3_600_000;
const LONG_MS = 180_000;

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: START });
const { jobs, now } = app.app.services;
const move = (instant: string) => callInternal(app, 'POST', '/internal/v1/clock', { body: { now: instant } });
const dueAfter = async (instant: string): Promise<string[]> => {
  const { rows } = await runOn(app.database.adminUrl, (client) =>
    client.query<{ kind: string }>(`select kind from job where unique_key = 'recurring' and due_at > $1`, [
      instant,
    ]),
  );
  return rows.map(({ kind }) => kind);
};

test('no recurring job waits for the later time, not even one that ran during the move', async () => {
  expect((await move(LATER)).status).toBe(200);
  expect((await dueAfter(LATER)).length).toBeGreaterThan(5);
  const [began, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  jobs.handle('test.slow', async () => {
    const againAt = now() + DAY_MS;
    began.resolve();
    await gate.promise;
    return { againAt };
  });
  await jobs.ensure({ kind: 'test.slow', firstDueAt: now() });
  await began.promise;
  const moved = move(START);
  setTimeout(gate.resolve, 2_000);
  expect((await moved).status).toBe(200);
  const running =
    "select count(*)::int as running from job where kind = 'test.slow' and lease_until is not null";
  const counted = () => runOn(app.database.adminUrl, async (client) => (await client.query(running)).rows[0]);
  await eventually(counted, (row) => row.running === 0);
  expect(await dueAfter(LATER)).toEqual([]);
});

test('settlements close by the earlier time', { timeout: LONG_MS }, async () => {
  const story = await begin(app);
  await tellUntil(story, '2026-07-15T16:15:00.000Z', 0);
  const { body } = await story.seller.call<{ data: { status: string; period_end: string }[] }>(
    'GET',
    '/financials/settlements',
  );
  const closed = body.data.filter(({ status }) => status !== 'open');
  expect(closed.map(({ period_end }) => period_end)).toContain('2026-07-15');
});
