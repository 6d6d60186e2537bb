/** Evaluates the products of sellers that use pricing. */
import type { NightStep } from '../../kernel/night-step.ts';
import { acting } from '../../platform/acting.ts';
import { readStanding } from '../../platform/db/read-standing.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { PASS_JOB, runPass, usesPricing } from './actions/run-pass.ts';

const evaluateJob = defineJob({
  kind: PASS_JOB,
  recurring: false,
  long: true,
  handler: async (services, { seller_id, payload }) => {
    if (seller_id === null) return undefined;
    await services.withSellerLong(seller_id, 'write', async (db) => {
      const standing = await readStanding(db, seller_id);
      if (standing === undefined || !usesPricing(standing)) return;
      await runPass(acting(services, { db, seller_id }), standing, payload['whole'] === true);
    });
    return undefined;
  },
});

export const pricingJobs = [evaluateJob];

export const pricingNight: NightStep = {
  name: 'pricing',
  feature: 'pricing',
  flag: 'pricing',
  run: (ctx, { standing }) => runPass(ctx, standing, true),
};
