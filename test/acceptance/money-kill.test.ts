/**
 * `kill -9` at random instants while random events change the money of several sellers, on two processes and one
 * database: answered work is there, no work is half done, repeated events are duplicates, and the books balance.
 * `MONEY_OPERATIONS` is the number of events, `MONEY_KILLS` the number of kills, `MONEY_SEED` chooses the events. By
 * default each process is killed once; a long run has thousands of events and tens of kills.
 */
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { readFindings } from '../../src/modules/financials/index.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { createWithSystem } from '../../src/platform/db/scope.ts';
import { type Member, prepareCluster } from '../support/cluster.ts';
import { eventually } from '../support/feeds.ts';
import { chanceOf, iso, openMarket } from '../support/market-day.ts';
import { missingOf, runMarket } from '../support/market-run.ts';
import { fingerprint } from '../support/market-truth.ts';
import { mortalStage } from '../support/mortal-stage.ts';
import { testDatabase } from '../support/pg.ts';
import { runOn } from '../support/test-server.ts';

const OPERATIONS = Number(process.env['MONEY_OPERATIONS'] ?? 90);
const KILLS = Number(process.env['MONEY_KILLS'] ?? 2);
const SEED = Number(process.env['MONEY_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
const SELLERS = 2;
const TIMEOUT_MS = 240_000 + OPERATIONS * 600 + KILLS * 20_000;
/** The longest time from the answer that starts a kill to the kill. */
const KILL_DELAY_MAX_MS = 40;

/** The manual clock starts after the instants at which the sessions of the sellers are issued. */
const startAt = Date.now() + 600_000;
const database = await testDatabase();
const cluster = await prepareCluster(database.url);
const start = (): Promise<Member> =>
  cluster.start({
    APP_ENV: 'staging',
    CLOCK: 'manual',
    CLOCK_START: iso(startAt),
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  });
/** The test kills both in turn; a request goes to the one that runs. */
const members: (Member | undefined)[] = await Promise.all([start(), start()]);
const here = (): Member[] => members.filter((member) => member !== undefined);

const pool = createPool({
  url: database.url,
  max: 1,
  name: 'audit',
  log: pino({ level: 'silent' }),
  longWork: true,
});
afterAll(() => pool.end());

async function expectToHold(): Promise<void> {
  const findings = await readFindings(createWithSystem(pool, ['ledger-audit']));
  expect(findings.filter(({ violations }) => violations > 0)).toEqual([]);
}

test(
  `${OPERATIONS} random events over ${KILLS} kills (MONEY_SEED=${SEED}): each answered one is applied once`,
  {
    timeout: TIMEOUT_MS,
  },
  () =>
    runOn(database.adminUrl, async (client) => {
      const stage = mortalStage({ cluster, here, client, startAt });
      const { heard } = stage;
      const market = await openMarket(stage, SELLERS, chanceOf(SEED));

      /** The answered events are there, and no others. */
      const expectAnswered = async (): Promise<void> => {
        const answered = [...heard.answered.keys()];
        const rows = await stage.query<{ event_id: string }>(
          "select event_id from marketplace_event where source = '/marketplace/core'",
        );
        const recorded = new Set(rows.map(({ event_id }) => event_id));
        expect(answered.filter((id) => !recorded.has(id))).toEqual([]);
        expect([...recorded].filter((id) => !heard.asked.has(id))).toEqual([]);
      };

      let over = false;
      const killing = (async () => {
        for (let kill = 0; kill < KILLS; kill += 1) {
          // Two of five operations are answered events, so the last kill also comes between them.
          const turn = ((kill + Math.random()) * OPERATIONS) / KILLS / 3;
          await eventually(
            async () => over || heard.answered.size > turn,
            (now) => now,
            TIMEOUT_MS,
          );
          await new Promise((resolve) => setTimeout(resolve, Math.random() * KILL_DELAY_MAX_MS));
          const place = kill % members.length;
          const victim = members[place];
          members[place] = undefined;
          await victim?.end('SIGKILL');
          await expectAnswered();
          members[place] = await start();
        }
      })();
      const running = runMarket({ market, operations: OPERATIONS, look: expectToHold }).finally(() => {
        over = true;
      });
      const [tally] = await Promise.all([running, killing]);

      // Every event is sent again, as by a sender that has lost the answers.
      const before = await fingerprint(stage);
      const known = [...heard.answered.values()].map(({ event }) => event);
      for (let from = 0; from < known.length; from += 200) {
        const results = await stage.events(...known.slice(from, from + 200));
        expect(results.filter(({ status }) => status !== 'duplicate')).toEqual([]);
      }
      expect(await fingerprint(stage)).toEqual(before);
      await expectToHold();
      if (process.env['MONEY_OPERATIONS'] !== undefined)
        process.stdout.write(
          JSON.stringify({
            seed: SEED,
            kills: KILLS,
            lost: stage.lost(),
            events: known.length,
            ...tally,
            done: tally.done.size,
          }),
        );
      expect(missingOf(tally).length).toBeLessThan(17);
    }),
);
