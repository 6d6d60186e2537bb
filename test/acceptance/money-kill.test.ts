/**
 * `kill -9` at random instants while anything happens to the money of several sellers, on two processes and one
 * database: answered work is there, no work is half there, repeated events are duplicates, and the books balance.
 * `MONEY_OPERATIONS` says how much happens, `MONEY_KILLS` how often a process is killed, `MONEY_SEED` what happens. By
 * default each of the two is killed once; a long run has thousands of the first and tens of the second.
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
/** A process is killed so long after the answer that made it its turn, at most. */
const MERCY_MS = 40;

/** The service's clock stands still while the sessions of its sellers are issued: after that. */
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
/** Both are killed now and then; a request goes to the one that runs. */
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
  `${OPERATIONS} things happen by chance over ${KILLS} kills (MONEY_SEED=${SEED}): all that was answered is there, once`,
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
          // Two of five things that happen are events that are heard: the last kill comes in their midst too.
          const turn = ((kill + Math.random()) * OPERATIONS) / KILLS / 3;
          await eventually(
            async () => over || heard.answered.size > turn,
            (now) => now,
            TIMEOUT_MS,
          );
          await new Promise((resolve) => setTimeout(resolve, Math.random() * MERCY_MS));
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

      // Everything once more, as a sender does who does not know what was heard of it.
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
