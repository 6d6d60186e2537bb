/** What is not released on the day of a reserve is released that day by the service. */
import { defineJob } from '../../platform/jobs/define-job.ts';
import { RELEASE_JOB, releaseOnItsDay } from './actions/reserves.ts';

export const reserveJob = defineJob({
  kind: RELEASE_JOB,
  recurring: false,
  async handler(services, { seller_id, payload }) {
    const sellerId = seller_id ?? '';
    const { ids, now } = services;
    await services.withSeller(sellerId, 'write', (db) =>
      releaseOnItsDay({ db, sellerId, ids, now }, String(payload['reserve_id'])),
    );
    return undefined;
  },
});
