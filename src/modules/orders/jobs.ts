/** What happens to orders by itself: deadlines, each at its instant on the service's clock. */

import type { Db } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { appendEvents } from '../../platform/outbox/append.ts';
import type { Services } from '../../platform/services.ts';
import { adapterOf } from '../shipping/index.ts';
import { isRefused, PURCHASE_JOB } from './actions/buy-label.ts';
import { type ChangeContext, changeOrder, TIMER_JOB, topUp, VOID_JOB } from './actions/change-order.ts';
import { finishPurchase, type InTransaction } from './actions/finish-purchase.ts';
import { missingOf } from './domain/settle.ts';
import { runTimers } from './domain/timers.ts';
import { emitOrder, type Work } from './domain/work.ts';
import type { Author } from './store/order-history.ts';
import { shortOrders } from './store/short-orders.ts';

const ALLOCATE_EVERY_MS = 3_600_000;
const NOBODY: Author = { actor: { kind: 'system', id: null }, request_id: null, idempotency_key: null };

/** What orders are changed with in somebody's name without a request. */
function contextOf({ now, ids }: Services, db: Db, sellerId: string, author: Author = NOBODY): ChangeContext {
  const { request_id, idempotency_key } = author;
  const correlation = { request_id, idempotency_key };
  return {
    db,
    sellerId,
    now,
    ids,
    author,
    emit: (...events) => appendEvents(db, { sellerId, ids, now: now(), correlation }, events),
  };
}

/** Changes an order in nobody's name. */
function changeAsSystem(
  services: Services,
  sellerId: string,
  orderId: string,
  rule: (work: Work, ctx: ChangeContext) => void | Promise<void>,
): Promise<unknown> {
  return services.withSeller(sellerId, 'write', (db) => {
    const ctx = contextOf(services, db, sellerId);
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

/** A refusal stands in the history: the seller may want to ask the carrier. */
const voidLabels = defineJob({
  kind: VOID_JOB,
  recurring: false,
  async handler(services, { seller_id, payload }) {
    const { order_id, label_id, carrier, carrier_reference } = payload;
    const adapter = adapterOf(services.config, services.log, String(carrier));
    try {
      await adapter?.voidLabel(String(carrier_reference));
    } catch (error) {
      if (!(error instanceof ApiError) || !isRefused(error)) throw error;
      const { carrier_code } = error.body;
      const facts = { label_id, carrier, carrier_code };
      await changeAsSystem(services, seller_id ?? '', String(order_id), ({ notes }) => {
        notes.push({ action: 'label_void_refused', detail: error.message, facts });
      });
    }
    return undefined;
  },
});

/** See `actions/finish-purchase.ts`. */
const purchases = defineJob({
  kind: PURCHASE_JOB,
  recurring: false,
  handler(services, { seller_id, payload }) {
    const sellerId = seller_id ?? '';
    const inTx: InTransaction = (author, fn) =>
      services.withSeller(sellerId, 'write', (db) => fn(contextOf(services, db, sellerId, author)));
    return finishPurchase(inTx, services, String(payload['label_id']));
  },
});

export const jobs = [timers, allocate, voidLabels, purchases];
