/** The worker's loop that assesses products which have changed. */
import { acting } from '../../../platform/acting.ts';
import { defineLoop } from '../../../platform/jobs/define-loop.ts';
import { repeat } from '../../../platform/jobs/repeat.ts';
import { refreshListings } from '../actions/refresh.ts';
import { passOthers, sellersToRefresh } from '../store/listings.ts';

const NAME = 'quality.refresh';
/** A change is known within a minute (docs/design/quality.md#readiness). */
const POLL_EVERY_MS = 2_000;

export const refreshLoop = defineLoop({
  name: NAME,
  create: (services) =>
    repeat({
      name: NAME,
      log: services.log,
      idleMs: POLL_EVERY_MS,
      round: async (signal) => {
        const sellers = await services.withSystemLong('jobs', 'write', async (db) => {
          await passOthers(db);
          return sellersToRefresh(db);
        });
        let more = false;
        for (const seller_id of sellers) {
          if (signal.aborted) return false;
          const left = await services.withSellerLong(seller_id, 'write', (db) =>
            refreshListings(acting(services, { db, seller_id })),
          );
          more = left || more;
        }
        return more;
      },
    }),
});
