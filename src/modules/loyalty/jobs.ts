/** Ends enrolments, and compares points with money. */
import { sydneyDate } from '../../kernel/australia/sydney.ts';
import { acting } from '../../platform/acting.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { EXPIRE, expireEnrolment } from './actions/enrolment.ts';
import { MISMATCHES, PENDING_HOURS } from './domain/points.ts';
import { loyaltyEvents } from './events.ts';
import { toWireReconciliation } from './schemas/loyalty.ts';
import { compareOrders, markMismatches, mismatches, ordersToCheck, sellersToCheck } from './store/fund.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Orders in one comparison. */
const AT_ONCE = 500;
/** The ledger may date a late line back to the first day of an open period. */
const DATED_BACK_DAYS = 20;

const expire = defineJob({
  kind: EXPIRE,
  recurring: false,
  handler: async (services, { seller_id }) => {
    if (seller_id === null) return undefined;
    await services.withSellerLong(seller_id, 'write', (db) =>
      expireEnrolment(acting(services, { db, seller_id })),
    );
    return undefined;
  },
});

const isMismatch = (status: string): status is (typeof MISMATCHES)[number] =>
  (MISMATCHES as readonly string[]).includes(status);

/** Compares orders of a seller. Each difference is told once for each order and status. */
function compareSome(services: Services, seller_id: string, order_ids: readonly string[]): Promise<void> {
  return services.withSellerLong(seller_id, 'write', async (db) => {
    const ctx = acting(services, { db, seller_id });
    const now = ctx.now();
    const rows = await compareOrders(ctx, { now, order_ids });
    await markMismatches(ctx, rows);
    for (const row of rows) {
      const { order_id, status } = row;
      if (!isMismatch(status)) continue;
      const isNew = await mismatches.insert(ctx, { order_id, status, told_at: ctx.at(), open: true });
      if (isNew) await ctx.emit(loyaltyEvents.mismatch.of(toWireReconciliation(row), { version: 1 }));
    }
  });
}

/** A difference counts 48 hours after the later side was booked, so orders of that time are compared again. */
const reconcile = defineJob({
  kind: 'loyalty.reconcile',
  recurring: true,
  catchesUp: true,
  handler: async (services, { due_at }, signal) => {
    const since = Date.parse(due_at) - DAY_MS - PENDING_HOURS * HOUR_MS;
    const posted = sydneyDate(since - DATED_BACK_DAYS * DAY_MS);
    const sellers = await services.withSystemLong('jobs', 'read', (db) => sellersToCheck(db, posted));
    for (const seller_id of sellers) {
      if (signal.aborted) break;
      const orders = await services.withSellerLong(seller_id, 'read', (db) =>
        ordersToCheck({ db, seller_id }, posted),
      );
      for (let at = 0; at < orders.length; at += AT_ONCE)
        await compareSome(services, seller_id, orders.slice(at, at + AT_ONCE));
    }
    return { againAt: services.now() + HOUR_MS };
  },
});

export const loyaltyJobs = [expire, reconcile];
