import { acting } from '../../platform/acting.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { DUE_JOB, settle } from './actions/settle.ts';
import { rfqs } from './store.ts';

const due = defineJob({
  kind: DUE_JOB,
  recurring: false,
  handler: async (services, { seller_id, payload }) => {
    const sellerId = seller_id ?? '';
    await services.withSeller(sellerId, 'write', async (db) => {
      const ctx = acting(services, { db, seller_id: sellerId });
      const row = await rfqs.find(ctx, { rfq_id: String(payload['rfq_id']) }, 'for update');
      if (row !== undefined) await settle(ctx, row);
    });
    return undefined;
  },
});

export const sourcingJobs = [due];
