/** Evaluates the products of sellers that use pricing. */
import type { NightStep } from '../../kernel/night-step.ts';
import { acting } from '../../platform/acting.ts';
import { readStanding } from '../../platform/db/read-standing.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import {
  CHANGED_JOB,
  GATHER_MS,
  runChangedPass,
  runWholePass,
  usesPricing,
  WHOLE_JOB,
} from './actions/run-pass.ts';

/** Changes are evaluated within a minute, so their passes do not wait for the places of long jobs. */
const changedJob = defineJob({
  kind: CHANGED_JOB,
  recurring: false,
  handler: async (services, { seller_id }) => {
    if (seller_id === null) return undefined;
    const done = await services.withSeller(seller_id, 'write', async (db) => {
      const standing = await readStanding(db, seller_id);
      if (standing === undefined || !usesPricing(standing)) return true;
      return runChangedPass(acting(services, { db, seller_id }), standing);
    });
    return done ? undefined : { againAt: services.now() + GATHER_MS };
  },
});

const wholeJob = defineJob({
  kind: WHOLE_JOB,
  recurring: false,
  long: true,
  handler: async (services, { seller_id }) => {
    if (seller_id === null) return undefined;
    await services.withSellerLong(seller_id, 'write', async (db) => {
      const standing = await readStanding(db, seller_id);
      if (standing === undefined || !usesPricing(standing)) return;
      await runWholePass(acting(services, { db, seller_id }), standing);
    });
    return undefined;
  },
});

export const pricingJobs = [changedJob, wholeJob];

export const pricingNight: NightStep = {
  name: 'pricing',
  feature: 'pricing',
  flag: 'pricing',
  run: (ctx, { standing }) => runWholePass(ctx, standing),
};
