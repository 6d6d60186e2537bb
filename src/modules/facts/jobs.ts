/** The nights: facts of each seller, then what the areas compute from them. See docs/design/facts.md#night. */
import { acting } from '../../platform/acting.ts';
import { readStanding } from '../../platform/db/read-standing.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { fillFacts } from './actions/fill-facts.ts';
import { ROLL_JOB } from './actions/snapshots.ts';
import { nextNight, rollsAt, stepsFor } from './domain/nights.ts';
import { readProgress } from './store/facts.ts';
import { sellersToRoll } from './store/sellers.ts';

const DAY_MS = 86_400_000;
/** A seller without an order for longer has no night. */
const ORDERED_WITHIN_MS = 400 * DAY_MS;
const SELLERS_AT_ONCE = 500;
const RETRY_MS = 600_000;
/** The first night of a large seller reads all its orders. */
const STATEMENT_TIMEOUT_MS = 300_000;

const plan = defineJob({
  kind: 'facts.plan',
  recurring: true,
  catchesUp: true,
  firstAt: nextNight,
  async handler({ withSystem, jobs, now, config }) {
    const begun = now();
    const since = new Date(begun - ORDERED_WITHIN_MS).toISOString();
    for (let after = ''; ; ) {
      const sellers = await withSystem('jobs', 'write', async (db) => {
        const found = await sellersToRoll(db, after, since, SELLERS_AT_ONCE);
        for (const sellerId of found)
          await jobs.add(db, {
            ...{ kind: ROLL_JOB, sellerId, uniqueKey: sellerId },
            dueAt: config.CLOCK === 'manual' ? begun : rollsAt(sellerId, begun),
          });
        return found;
      });
      after = sellers.at(-1) ?? '';
      if (sellers.length < SELLERS_AT_ONCE) return { againAt: nextNight(begun) };
    }
  },
});

/** Each step has a transaction of its own, so a failed one leaves the others. Then all are tried again. */
const roll = defineJob({
  kind: ROLL_JOB,
  recurring: false,
  long: true,
  backoffMs: () => RETRY_MS,
  async handler(services, { seller_id }, signal) {
    const sellerId = seller_id ?? '';
    const { withSellerLong, modules, log } = services;
    const { standing, counted } = await withSellerLong(
      sellerId,
      'read',
      async (db) => {
        const found = [readStanding(db, sellerId), readProgress({ db, seller_id: sellerId })] as const;
        const [seller, { through_on }] = await Promise.all(found);
        return { standing: seller, counted: through_on !== null };
      },
      { lookUp: true },
    );
    if (standing === undefined || standing.status === 'closed') return undefined;
    const inOwn = <T>(work: (ctx: ReturnType<typeof acting>) => Promise<T>): Promise<T> =>
      withSellerLong(sellerId, 'write', (db) => work(acting(services, { db, seller_id: sellerId })), {
        statementTimeoutMs: STATEMENT_TIMEOUT_MS,
        // A kept plan serves the few days of later nights of any seller, but not half a year of a large one.
        lookUp: counted,
        // A crash that undoes a step undoes the end of the job too, and then the whole night runs again.
        lazyCommit: true,
      });
    const night = { standing, through_on: await inOwn((ctx) => fillFacts(ctx, standing.currency)) };
    const failed: string[] = [];
    const steps = modules.flatMap(({ nightSteps = [] }) => nightSteps);
    for (const { name, run } of stepsFor(steps, standing)) {
      signal.throwIfAborted();
      await inOwn((ctx) => run(ctx, night)).catch((error: Error) => {
        log.error({ err: error.message, seller_id: sellerId, step: name }, 'a night step failed');
        failed.push(`${name}: ${error.message}`);
      });
    }
    if (failed.length > 0) throw new Error(`night steps failed: ${failed.join('; ')}`);
    return undefined;
  },
});

export const factJobs = [plan, roll];
