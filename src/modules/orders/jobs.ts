/** What happens to orders by itself: deadlines, each at its instant on the service's clock. */

import { defineJob } from '../../platform/jobs/define-job.ts';
import { appendEvents } from '../../platform/outbox/append.ts';
import type { Services } from '../../platform/services.ts';
import { adapterOf } from '../shipping/index.ts';
import { type ChangeContext, changeOrder, TIMER_JOB, topUp, VOID_JOB } from './actions/change-order.ts';
import { missingOf } from './domain/settle.ts';
import { runTimers } from './domain/timers.ts';
import { emitOrder, type Work } from './domain/work.ts';
import { shortOrders } from './store/short-orders.ts';

const ALLOCATE_EVERY_MS = 3_600_000;
const NOBODY = { request_id: null, idempotency_key: null };

/** Changes an order in nobody's name. */
function changeAsSystem(
  { withSeller, now, ids }: Services,
  sellerId: string,
  orderId: string,
  rule: (work: Work, ctx: ChangeContext) => void | Promise<void>,
): Promise<unknown> {
  return withSeller(sellerId, 'write', (db) => {
    const ctx: ChangeContext = {
      db,
      sellerId,
      now,
      ids,
      author: { actor: { kind: 'system', id: null }, ...NOBODY },
      emit: (...events) => appendEvents(db, { sellerId, ids, now: now(), correlation: NOBODY }, events),
    };
    return changeOrder(ctx, orderId, (work) => rule(work, ctx));
  });
}

/** Runs what is due of one order; the next job was left behind by the change itself. */
const timers = defineJob({
  kind: TIMER_JOB,
  recurring: false,
  async handler(services, job) {
    await changeAsSystem(services, job.seller_id ?? '', String(job.payload['order_id']), runTimers);
    return undefined;
  },
});

const heldBy = ({ order }: Work): number => order.lines.reduce((sum, { reserved }) => sum + reserved, 0);

/** Orders that were sold beyond the stock get what has come in since, the oldest first. */
const allocate = defineJob({
  kind: 'orders.allocate',
  recurring: true,
  async handler(services, _job, signal) {
    const waiting = await services.withSystem('jobs', 'read', shortOrders);
    for (const { seller_id, order_id } of waiting) {
      if (signal.aborted) break;
      await changeAsSystem(services, seller_id, order_id, async (work, ctx) => {
        const before = heldBy(work);
        await topUp(
          ctx,
          work,
          work.order.lines.map((line) => ({ line, quantity: missingOf(line) })),
        );
        if (heldBy(work) <= before) return;
        work.notes.push({ action: 'stock_allocated' });
        emitOrder(work, 'order.stock_allocated');
      });
    }
    return { againAt: services.now() + ALLOCATE_EVERY_MS };
  },
});

const voidLabels = defineJob({
  kind: VOID_JOB,
  recurring: false,
  async handler({ config, log }, { payload }) {
    await adapterOf(config, log, String(payload['carrier']))?.voidLabel(String(payload['carrier_reference']));
    return undefined;
  },
});

export const jobs = [timers, allocate, voidLabels];
