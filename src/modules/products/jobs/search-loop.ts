/** The worker's loop that moves products from the queue of the search into its index. */
import { defineLoop } from '../../../platform/jobs/define-loop.ts';
import { repeat } from '../../../platform/jobs/repeat.ts';
import { indexNext, sellersToIndex } from '../store/search-index.ts';

const NAME = 'products.search';
/**
 * A search reads the products in the queue one by one meanwhile. Many products at once are indexed with fewer
 * writes, so the worker lets some come together.
 */
const LOOK_EVERY_MS = 5_000;

export const searchLoop = defineLoop({
  name: NAME,
  create: ({ log, longSystem, longSeller }) =>
    repeat({
      name: NAME,
      log,
      idleMs: LOOK_EVERY_MS,
      round: async (signal) => {
        let more = false;
        for (const seller_id of await longSystem('search-index', 'read', sellersToIndex)) {
          if (signal.aborted) return false;
          more = (await longSeller(seller_id, 'write', (db) => indexNext({ db, seller_id }))) || more;
        }
        return more;
      },
    }),
});
