/** The nightly look at balances that stay below zero. */
import { nextTimeOfDay } from '../../kernel/australia/sydney.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { followOldDebt } from './actions/follow-debt.ts';
import { inName } from './job-context.ts';
import { type Debtor, debtors } from './store/debts.ts';

/** In Sydney, behind the close of what ended the day before. */
const DEBT_TIME = { hour: 2, minute: 45 };
const DEBTORS_AT_ONCE = 500;

export const debtJob = defineJob({
  kind: 'financials.follow_debts',
  recurring: true,
  async handler(services) {
    const { longSystem, longSeller, now } = services;
    for (let after: Debtor | undefined; ; ) {
      const found = await longSystem('jobs', 'read', (db) => debtors(db, after, DEBTORS_AT_ONCE));
      for (const { seller_id, currency } of found)
        await longSeller(seller_id, 'write', (db) =>
          followOldDebt(inName(services, seller_id, db), currency),
        );
      after = found.at(-1);
      if (found.length < DEBTORS_AT_ONCE) return { againAt: nextTimeOfDay(now(), DEBT_TIME) };
    }
  },
});
