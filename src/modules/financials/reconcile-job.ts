/** The nightly comparison with the payment providers: what came late on either side finds its match. */
import { nextTimeOfDay } from '../../kernel/sydney.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { reconcileSeller } from './actions/reconcile.ts';
import { matchTransactions, providers, sellersWithLedger } from './store/provider-transactions.ts';

/** In Sydney, behind the close and the look at the ledger. */
const RECONCILE_TIME = { hour: 3, minute: 0 };

export const reconcileJob = defineJob({
  kind: 'financials.reconcile',
  recurring: true,
  handler: async ({ longSystem, now }) => {
    const at = new Date(now()).toISOString();
    const known = await longSystem('jobs', 'read', providers);
    for (const { provider, data_through: through } of known) {
      await longSystem('jobs', 'write', (db) => matchTransactions(db, provider, at, null));
      for (const sellerId of await longSystem('jobs', 'read', sellersWithLedger))
        await longSystem('jobs', 'write', (db) =>
          reconcileSeller(db, sellerId, { provider, through, now: now() }),
        );
    }
    return { againAt: nextTimeOfDay(now(), RECONCILE_TIME) };
  },
});
