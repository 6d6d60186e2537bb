/**
 * Jobs that compare with the payment providers, nightly and on demand. They also match late transactions and
 * journals.
 */
import { nextTimeOfDay } from '../../kernel/australia/sydney.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { reconcileSeller, SWEEP_JOB } from './actions/reconcile.ts';
import { matchTransactions, providers, sellersWithLedger } from './store/provider-transactions.ts';

/** In Sydney, after the close and the audit. */
const RECONCILE_TIME = { hour: 3, minute: 0 };

/** @param only the provider to compare; null for all providers */
async function sweep({ withSystemLong, now }: Services, only: string | null): Promise<void> {
  const at = new Date(now()).toISOString();
  const known = await withSystemLong('jobs', 'read', providers);
  for (const { provider, data_through: through } of known) {
    if (only !== null && only !== provider) continue;
    await withSystemLong('jobs', 'write', (db) => matchTransactions(db, provider, at, null));
    for (const sellerId of await withSystemLong('jobs', 'read', sellersWithLedger))
      await withSystemLong('jobs', 'write', (db) =>
        reconcileSeller(db, sellerId, { provider, through, now: now() }),
      );
  }
}

export const reconcileJobs = [
  defineJob({
    kind: 'financials.reconcile',
    recurring: true,
    handler: async (services) => {
      await sweep(services, null);
      return { againAt: nextTimeOfDay(services.now(), RECONCILE_TIME) };
    },
  }),
  defineJob({
    kind: SWEEP_JOB,
    recurring: false,
    handler: async (services, { payload }) => {
      await sweep(services, String(payload['provider']));
      return undefined;
    },
  }),
];
