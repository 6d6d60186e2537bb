/** The worker's loop that moves products from the search queue into the search index. */
import { defineLoop } from '../../../platform/jobs/define-loop.ts';
import { repeat } from '../../../platform/jobs/repeat.ts';
import { indexNext, sellersToIndex } from '../store/search-index.ts';

const NAME = 'products.search';
/**
 * The worker lets queued products collect, because it indexes many at once with fewer writes. A search reads queued
 * products too.
 */
const POLL_EVERY_MS = 5_000;

export const searchLoop = defineLoop({
  name: NAME,
  create: ({ log, withSystemLong, withSellerLong }) =>
    repeat({
      name: NAME,
      log,
      idleMs: POLL_EVERY_MS,
      round: async (signal) => {
        let more = false;
        for (const seller_id of await withSystemLong('search-index', 'read', sellersToIndex)) {
          if (signal.aborted) return false;
          more = (await withSellerLong(seller_id, 'write', (db) => indexNext({ db, seller_id }))) || more;
        }
        return more;
      },
    }),
});
