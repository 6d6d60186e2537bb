/** Follows suppliers: what they publish and count reaches the listings of all sellers. */
import { acting } from '../../platform/acting.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { SUPPLIED_JOB } from '../orders/index.ts';
import { SUPPLIER_JOB } from '../supply/index.ts';
import { followOrderOf } from './actions/change-dropship.ts';
import { MIRROR_JOB, mirror } from './actions/mirror.ts';
import { listingsToMirror } from './actions/to-mirror.ts';
import { sellersOf } from './store/listings.ts';

/** Lets the listings of every seller follow a supplier. */
const followSupplier = defineJob({
  kind: SUPPLIER_JOB,
  recurring: false,
  handler: async (services, { payload }) => {
    const supplierId = String(payload['supplier_id']);
    const sellers = await services.withSystem('jobs', 'read', (db) => sellersOf(db, supplierId));
    for (const sellerId of sellers)
      await services.withSeller(sellerId, 'write', async (db) => {
        const dueAt = services.now();
        await services.jobs.add(db, { kind: MIRROR_JOB, sellerId, uniqueKey: sellerId, dueAt });
      });
    return undefined;
  },
});

/** Mirrors the listings of a seller that differ from their stock, and comes again when a count gets too old. */
const mirrorAll = defineJob({
  kind: MIRROR_JOB,
  recurring: false,
  handler: async (services, { seller_id }, signal) => {
    const sellerId = seller_id ?? '';
    let after = '';
    let staleAt = Number.POSITIVE_INFINITY;
    for (;;) {
      if (signal.aborted) return { againAt: services.now() };
      const at = { seller_id: sellerId, now: services.now };
      const some = await services.withSeller(sellerId, 'read', (db) =>
        listingsToMirror({ ...at, db }, after),
      );
      staleAt = Math.min(staleAt, some.staleAt);
      if (some.listingIds.length > 0)
        await services.withSeller(sellerId, 'write', (db) =>
          mirror(acting(services, { db, seller_id: sellerId }), some.listingIds),
        );
      if (some.last === null) return Number.isFinite(staleAt) ? { againAt: staleAt } : undefined;
      after = some.last;
    }
  },
});

/** Lets the dropship orders of an order follow it, and comes again when a supplier is to be asked or has not answered. */
const followSupplied = defineJob({
  kind: SUPPLIED_JOB,
  recurring: false,
  handler: async (services, { seller_id, payload }) => {
    const sellerId = seller_id ?? '';
    const dueAt = await services.withSeller(sellerId, 'write', (db) =>
      followOrderOf(acting(services, { db, seller_id: sellerId }), String(payload['order_id'])),
    );
    return dueAt === undefined ? undefined : { againAt: dueAt };
  },
});

export const dropshipJobs = [followSupplier, mirrorAll, followSupplied];
