import { acting } from '../../platform/acting.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { DUE_JOB } from './actions/add-fact.ts';
import { followClock } from './actions/due.ts';

const due = defineJob({
  kind: DUE_JOB,
  recurring: false,
  handler: async (services, { seller_id, payload }) => {
    const sellerId = seller_id ?? '';
    await services.withSeller(sellerId, 'write', (db) =>
      followClock(acting(services, { db, seller_id: sellerId }), String(payload['purchase_order_id'])),
    );
    return undefined;
  },
});

export const wholesaleJobs = [due];
