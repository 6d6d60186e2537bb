/**
 * Random events change the money of several sellers in random order, with closes and refunds at the same time: the
 * invariants hold, the ledger agrees with the facts, a refused event changes nothing, and no two areas differ in a
 * figure. MONEY_OPERATIONS is the number of events (by default a few hundred), MONEY_SEED chooses them; a failure names
 * the seed that repeats it.
 */
import { expect, test } from 'vitest';
import { sydneyDate } from '../src/kernel/australia/sydney.ts';
import { readFindings } from '../src/modules/financials/index.ts';
import { account_flags, startTestApp } from './support/app.ts';
import { disagreements } from './support/figures-agree.ts';
import { callInternal } from './support/internal.ts';
import { untilJobsRest } from './support/jobs.ts';
import { chanceOf, type EventResult, iso, openMarket, renewAll, type Stage } from './support/market-day.ts';
import { missingOf, runMarket } from './support/market-run.ts';

const OPERATIONS = Number(process.env['MONEY_OPERATIONS'] ?? 300);
const SEED = Number(process.env['MONEY_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
const SELLERS = 3;
/** Before all events, of which some are told with an old time. */
const FIRST_DAY = '2026-08-01';
/** A busy machine takes a tenth of a second for each. */
const TIMEOUT_MS = 120_000 + OPERATIONS * 1_000;

// Clocks go forward in Sydney on 4 October.
const app = await startTestApp({ CLOCK: 'manual', CLOCK_START: '2026-09-12T00:00:00.000Z' });
const { services } = app.app;

/** The time before the marketplace repeats an event that got 503. */
const REST_MS = 200;
const TRIES_MAX = 300;

/** On a busy machine another transaction may lock a ledger for longer than an event waits; the event is sent again. */
const events: Stage['events'] = async (...list) => {
  for (let tries = 1; ; tries += 1) {
    const { status, body, text } = await callInternal(app, 'POST', '/internal/v1/events', { body: list });
    if (status === 200) return (body?.['results'] ?? []) as EventResult[];
    if (status !== 503 || tries > TRIES_MAX) throw new Error(`events: ${status} ${text}`);
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
  }
};

const stage: Stage = {
  app: app.app,
  events,
  query: (text, values = []) => services.withSystem('jobs', 'read', (db) => db.all({ text, values })),
  async moveTo(instant) {
    const answer = await callInternal(app, 'POST', '/internal/v1/clock', { body: { now: iso(instant) } });
    if (answer.status !== 200) throw new Error(`clock: ${answer.status} ${answer.text}`);
  },
  seller: () => app.seller({ plan: 'Big', account_flags }),
};

async function expectToHold(): Promise<void> {
  const findings = await readFindings(services.withSystemLong);
  expect(findings.filter(({ violations }) => violations > 0)).toEqual([]);
}

test(`after ${OPERATIONS} random events (MONEY_SEED=${SEED}) every invariant holds`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const market = await openMarket(stage, SELLERS, chanceOf(SEED));
  const tally = await runMarket({ market, operations: OPERATIONS, look: expectToHold });
  if (process.env['MONEY_OPERATIONS'] !== undefined) {
    const [entries] = await stage.query('select count(*)::int as entries from ledger_entry');
    const [closed] = await stage.query('select count(*)::int as settlements from settlement');
    const counts = Object.fromEntries(tally.done);
    process.stdout.write(
      JSON.stringify({ seed: SEED, ...tally, done: counts, ...(entries as object), ...(closed as object) }),
    );
  }
  await renewAll(market);
  await untilJobsRest(app);
  for (const { seller } of market.shops)
    expect(await disagreements(seller, FIRST_DAY, sydneyDate(services.now()))).toEqual([]);
  expect(missingOf(tally).length).toBeLessThan(13);
  expect(tally.unmoved).toBeGreaterThan(0);
});
