import { sydneyDate } from '../../kernel/australia/sydney.ts';
import { acting } from '../../platform/acting.ts';
import { defineJob, runAgain } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { verifyBusinessNumber } from './actions/verify-business-number.ts';
import { deleteOldAnswers } from './store/abn-answers.ts';
import { requireSeller } from './store/seller-row.ts';
import { sellersToRecheck } from './store/verification.ts';

const DAY_MS = 24 * 3_600_000;

const RECHECK_EVERY_MS = 3_600_000;
/** Each asks the register, which may take five seconds. */
const RECHECKS_AT_ONCE = 100;

/** Asks the register about the next sellers, one after another. */
async function recheckSome(services: Services, signal: AbortSignal): Promise<boolean> {
  const { withSystem, withSellerLong, now, log } = services;
  const today = sydneyDate(now());
  const due = await withSystem('jobs', 'read', (db) => sellersToRecheck(db, today, RECHECKS_AT_ONCE));
  for (const seller_id of due) {
    if (signal.aborted) return false;
    const seller = await withSellerLong(seller_id, 'read', (db) => requireSeller({ db, seller_id }));
    await verifyBusinessNumber({ services, log }, seller, (fn) =>
      withSellerLong(seller_id, 'write', (db) => fn(acting(services, { db, seller_id }))),
    );
  }
  return due.length === RECHECKS_AT_ONCE;
}

export const sellerJobs = [
  defineJob({
    kind: 'sellers.recheck_business_numbers',
    recurring: true,
    handler: async (services, _job, signal) => {
      while (await recheckSome(services, signal));
      return runAgain(services, RECHECK_EVERY_MS);
    },
  }),
  defineJob({
    kind: 'sellers.forget_abn_answers',
    recurring: true,
    catchesUp: true,
    handler: async ({ withSystem, now, log }) => {
      const deleted = await withSystem('retention', 'single', (db) => deleteOldAnswers(db, now()));
      log.info({ deleted }, 'old answers of the business register deleted');
      return { againAt: now() + DAY_MS };
    },
  }),
];
