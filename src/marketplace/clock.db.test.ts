import { setTimeout as rest } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTestApp } from '../../test/support/app.ts';
import { callInternal } from '../../test/support/internal.ts';
import { runOn } from '../../test/support/test-server.ts';

const START = '2026-06-28T01:00:00.000Z';
const HOUR_MS = 3_600_000;

const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: START });
const { jobs, withSystem, now } = app.app.services;

/** The jobs that ran, each with the time of the clock. */
const ran: [name: unknown, at: string][] = [];
jobs.handle('test.note', async ({ payload }) => {
  ran.push([payload['name'], new Date(now()).toISOString()]);
  return undefined;
});
jobs.handle('test.repeat', async ({ payload }) => {
  ran.push([payload['name'], new Date(now()).toISOString()]);
  const left = Number(payload['left'] ?? 0);
  return left === 0 || ran.length >= left ? undefined : { againAt: now() + HOUR_MS };
});
jobs.handle('test.chain', async () => {
  ran.push(['chain', new Date(now()).toISOString()]);
  await addNote('link', now() + 60_000);
  return undefined;
});

const add = (kind: string, payload: Record<string, unknown>, dueAt: number) =>
  withSystem('jobs', 'single', (db) => jobs.add(db, { kind, payload, dueAt }));
const addNote = (name: string, dueAt: number) => add('test.note', { name }, dueAt);
const move = (instant: unknown) =>
  callInternal(app, 'POST', '/internal/v1/clock', { body: { now: instant } });
const iso = (ms: number): string => new Date(ms).toISOString();

test('without sellers the clock moves both ways', async () => {
  const back = await move('2026-01-01T00:00:00Z');
  expect([back.status, back.body]).toMatchObject([200, { now: '2026-01-01T00:00:00.000Z', previous: START }]);
  expect((await move(START)).body).toMatchObject({ now: START });
  expect(iso(now())).toBe(START);
});

test('recurring jobs run once when time passes without sellers, and follow a clock that goes back', async () => {
  const recurring =
    "select min(due_at)::text as first, max(due_at) > $1 as late from job where unique_key = 'recurring'";
  const planned = (before: string) =>
    runOn(app.database.adminUrl, async (client) => (await client.query(recurring, [before])).rows[0]);
  const kinds = await runOn(app.database.adminUrl, async (client) => {
    const { rows } = await client.query(
      "select count(*)::int as count from job where unique_key = 'recurring'",
    );
    return Number(rows[0].count);
  });
  expect(kinds).toBeGreaterThan(10);
  const forth = await move('2036-06-28T01:00:00Z');
  expect(forth.status).toBe(200);
  // The worker may run some of them during the move.
  expect(Number(forth.body?.['jobs_run'])).toBeLessThanOrEqual(kinds);
  expect(await planned('2036-08-01')).toMatchObject({ late: false });
  expect((await move(START)).body).toMatchObject({ now: START, jobs_run: 0 });
  // The worker may have run some of them since, and planned their next runs.
  expect(await planned('2026-08-01')).toMatchObject({ late: false });
});

test('due jobs run by their instants, with the clock at each', async () => {
  ran.length = 0;
  const t = now();
  await addNote('third', t + 3 * HOUR_MS);
  await addNote('first', t + HOUR_MS);
  await addNote('not yet', t + 9 * HOUR_MS);
  await addNote('second', t + 2 * HOUR_MS);
  const { status, body } = await move(iso(t + 4 * HOUR_MS));
  expect(status).toBe(200);
  expect(Number(body?.['jobs_run'])).toBeGreaterThanOrEqual(3);
  expect(ran).toEqual([
    ['first', iso(t + HOUR_MS)],
    ['second', iso(t + 2 * HOUR_MS)],
    ['third', iso(t + 3 * HOUR_MS)],
  ]);
  expect(iso(now())).toBe(iso(t + 4 * HOUR_MS));
  await move(iso(t + 9 * HOUR_MS));
  expect(ran.at(-1)).toEqual(['not yet', iso(t + 9 * HOUR_MS)]);
});

test('recurring jobs, and jobs that other jobs add, run on the way', async () => {
  ran.length = 0;
  const t = now();
  await add('test.repeat', { name: 'again', left: 4 }, t + HOUR_MS);
  await add('test.chain', {}, t + 90 * 60_000);
  await move(iso(t + 24 * HOUR_MS));
  expect(ran).toEqual([
    ['again', iso(t + HOUR_MS)],
    ['chain', iso(t + 90 * 60_000)],
    ['link', iso(t + 91 * 60_000)],
    ['again', iso(t + 2 * HOUR_MS)],
  ]);
});

test('a failing job is retried on the way and does not stop the move', async () => {
  let tries = 0;
  jobs.handle('test.fail', async () => {
    tries += 1;
    if (tries < 4) throw new Error('not yet');
    return undefined;
  });
  await add('test.fail', {}, now());
  const { status } = await move(iso(now() + HOUR_MS));
  expect([status, tries]).toEqual([200, 4]);
});

test('simultaneous moves happen one after another', async () => {
  ran.length = 0;
  const t = now();
  for (let hour = 1; hour <= 4; hour += 1) await addNote(`h${hour}`, t + hour * HOUR_MS);
  const answers = await Promise.all([move(iso(t + 2 * HOUR_MS)), move(iso(t + 4 * HOUR_MS))]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(ran.map(([name]) => name)).toEqual(['h1', 'h2', 'h3', 'h4']);
  expect(iso(now())).toBe(iso(t + 4 * HOUR_MS));
});

test('the clock waits for a due job of another worker', async () => {
  ran.length = 0;
  const t = now();
  await addNote('later', t + 2 * HOUR_MS);
  await addNote('held', t + HOUR_MS);
  const hold =
    "update job set lease_until = clock_timestamp() + interval '1.5 seconds' where payload->>'name' = 'held'";
  await runOn(app.database.adminUrl, (client) => client.query(hold));
  await move(iso(t + 3 * HOUR_MS));
  expect(ran).toEqual([
    ['held', iso(t + HOUR_MS)],
    ['later', iso(t + 2 * HOUR_MS)],
  ]);
});

test.each([
  [undefined, 'missing'],
  ['tomorrow', 'format_invalid'],
  ['2026-06-31', 'format_invalid'],
  [1_790_000_000, 'format_invalid'],
  ['2026-13-01T00:00:00Z', 'format_invalid'],
  ['9999-01-01T00:00:00Z', 'format_invalid'],
  ['2900-01-01T00:00:00Z', 'less_than_equal'],
])('%j is refused at body.now', async (instant, type) => {
  const before = now();
  const answer = await move(instant);
  expect([answer.status, answer.body?.['detail']]).toMatchObject([422, [{ loc: ['body', 'now'], type }]]);
  expect(now()).toBe(before);
});

test('an unknown key is refused, and the clock does not move', async () => {
  const before = now();
  const body = { now: iso(before + HOUR_MS), dry_run: true };
  const answer = await callInternal(app, 'POST', '/internal/v1/clock', { body });
  expect([answer.status, answer.body?.['detail']]).toMatchObject([
    422,
    [{ loc: ['body', 'dry_run'], type: 'extra_forbidden' }],
  ]);
  expect(now()).toBe(before);
});

test('with a seller recurring jobs keep their intervals over a month', async () => {
  await app.seller();
  const { body } = await move(iso(now() + 31 * 24 * HOUR_MS));
  // The nightly jobs run every night, the jobs that delete old rows run once, and no job runs every hour.
  expect(Number(body?.['jobs_run'])).toBeGreaterThanOrEqual(4 * 30);
  expect(Number(body?.['jobs_run'])).toBeLessThanOrEqual(10 * 31);
});

test('the audit of the ledger is long, so it runs at the end of a move, and then every fourth week', async () => {
  await app.seller();
  const auditedAt = () =>
    runOn(app.database.adminUrl, async (client) => {
      const { rows } = await client.query<{ at: string }>(
        'select max(checked_at)::text as at from ledger_audit',
      );
      return new Date(rows[0]?.at ?? 0).toISOString();
    });
  const end = now() + 40 * 24 * HOUR_MS;
  await move(iso(end));
  const first = await auditedAt();
  expect(Date.parse(first)).toBeGreaterThan(end - HOUR_MS);
  for (const day of [1, 2, 26]) await move(iso(end + day * 24 * HOUR_MS));
  expect(await auditedAt()).toBe(first);
  await move(iso(end + 29 * 24 * HOUR_MS));
  expect(Date.parse(await auditedAt())).toBeGreaterThan(end + 26 * 24 * HOUR_MS);
});

test('a job that catches up runs once in a move with a seller, in its last hour; other jobs run on every day', async () => {
  await app.seller();
  const DAY_MS = 24 * HOUR_MS;
  const runs: [kind: string, at: number][] = [];
  const daily = (kind: string) => async () => {
    runs.push([kind, now()]);
    return { againAt: now() + DAY_MS };
  };
  jobs.handle('test.daily', daily('daily'));
  jobs.handle('test.catches_up', daily('catches up'), { catchesUp: true });
  const start = now();
  for (const kind of ['test.daily', 'test.catches_up']) await add(kind, {}, start + HOUR_MS);
  await move(iso(start + 10 * DAY_MS));
  const runsOf = (kind: string) => runs.flatMap(([name, at]) => (name === kind ? [at] : []));
  expect(runsOf('daily')).toHaveLength(10);
  expect(runsOf('catches up')).toEqual([start + 10 * DAY_MS]);
  // A shorter move leaves a later run where it is.
  await move(iso(start + 10 * DAY_MS + HOUR_MS));
  expect(runsOf('catches up')).toHaveLength(1);
  await move(iso(start + 12 * DAY_MS));
  expect(runsOf('catches up')).toEqual([start + 10 * DAY_MS, start + 12 * DAY_MS]);
  await withSystem('jobs', 'single', (db) =>
    db.run({ text: "delete from job where kind in ('test.daily', 'test.catches_up')", values: [] }),
  );
});

test('a job that catches up and runs in a worker when a move begins has its next run at the end of it', async () => {
  await app.seller();
  let runs = 0;
  const first = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  jobs.handle(
    'test.still_running',
    async () => {
      runs += 1;
      begun.resolve();
      if (runs === 1) await first.promise;
      return { againAt: now() + HOUR_MS };
    },
    { catchesUp: true },
  );
  await add('test.still_running', {}, now());
  await begun.promise;
  const moved = move(iso(now() + 10 * 24 * HOUR_MS));
  await rest(300);
  first.resolve();
  expect((await moved).status).toBe(200);
  expect(runs).toBe(2);
  await withSystem('jobs', 'single', (db) =>
    db.run({ text: "delete from job where kind = 'test.still_running'", values: [] }),
  );
});

test('with a seller the clock does not move back, and may be set to its own instant', async () => {
  const before = iso(now());
  const answer = await move(iso(now() - 1));
  expect([answer.status, answer.body]).toMatchObject([409, { code: 'clock_backwards', now: before }]);
  expect((await move(before)).status).toBe(200);
  expect(iso(now())).toBe(before);
});
