/** The worker's loop that assesses products which have changed. */
import { acting } from '../../../platform/acting.ts';
import { systemNow } from '../../../platform/db/clock.ts';
import { defineLoop } from '../../../platform/jobs/define-loop.ts';
import { repeat } from '../../../platform/jobs/repeat.ts';
import { refreshListings } from '../actions/refresh.ts';
import { lastRound, passOthers, sellersToRefresh } from '../store/listings.ts';

const NAME = 'quality.refresh';
/** A change is known within a minute (docs/design/quality.md#readiness). */
const POLL_EVERY_MS = 2_000;
/** All sellers are looked at again, also those that have failed and those of a process that has died. */
const SWEEP_EVERY_MS = 30_000;

export const refreshLoop = defineLoop({
  name: NAME,
  create: (services) => {
    /** Of the sequencer; undefined: all sellers are to be looked at. */
    let since: bigint | undefined;
    let sweptAt = 0;
    /** Sellers that had more than one step of work. */
    let unfinished: readonly string[] = [];

    const changed = () =>
      services.withSystemLong('jobs', 'write', async (db) => {
        if (systemNow() - sweptAt >= SWEEP_EVERY_MS) since = undefined;
        const round = await lastRound(db);
        if (round === since) return [];
        await passOthers(db, since);
        const rows = await db.all(sellersToRefresh(since));
        if (since === undefined) sweptAt = systemNow();
        since = round;
        return rows.map(({ seller_id }) => seller_id);
      });
    const step = async (seller_id: string): Promise<boolean> => {
      try {
        return await services.withSellerLong(seller_id, 'write', (db) =>
          refreshListings(acting(services, { db, seller_id })),
        );
      } catch (error) {
        services.log.error({ err: (error as Error).message, seller_id }, 'products could not be assessed');
        return false;
      }
    };
    return repeat({
      name: NAME,
      log: services.log,
      idleMs: POLL_EVERY_MS,
      round: async (signal) => {
        const left: string[] = [];
        for (const seller_id of new Set([...(await changed()), ...unfinished])) {
          if (signal.aborted) return false;
          if (await step(seller_id)) left.push(seller_id);
        }
        unfinished = left;
        return left.length > 0;
      },
    });
  },
});
