/** What happens to orders by itself: deadlines, each at its instant on the service's clock. */

import { ApiError } from '../../kernel/errors.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { STOCK_JOB } from '../products/index.ts';
import { adapterOf } from '../shipping/index.ts';
import { changeAsSystem, contextOf } from './actions/as-system.ts';
import { isRefused, PURCHASE_JOB } from './actions/buy-label.ts';
import { TIMER_JOB, topUp, VOID_JOB } from './actions/change-order.ts';
import { finishPurchase, type InTransaction } from './actions/finish-purchase.ts';
import { missingOf } from './domain/settle.ts';
import { runTimers } from './domain/timers.ts';
import { emitOrder, type Work } from './domain/work.ts';
import { SHORT_ORDERS_MAX, shortOrders } from './store/short-orders.ts';

const ALLOCATE_EVERY_MS = 3_600_000;

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

/** Has an order hold what it needs, as far as there is stock; says whether it holds more now. */
async function allot(services: Services, sellerId: string, orderId: string): Promise<boolean> {
  let more = false;
  await changeAsSystem(services, sellerId, orderId, async (work, ctx) => {
    const before = heldBy(work);
    const wanted = work.order.lines.map((line) => ({ line, quantity: missingOf(line) }));
    await topUp(ctx, work, wanted);
    more = heldBy(work) > before;
    if (!more) return;
    work.notes.push({ action: 'stock_allocated' });
    emitOrder(work, 'order.stock_allocated');
  });
  return more;
}

type ShortOrders = Awaited<ReturnType<typeof shortOrders>>;

/**
 * Orders that were sold beyond the stock get what has come in since, the oldest first.
 *
 * @returns false when it was told to stop before the end
 */
async function allotAll(
  services: Services,
  signal: AbortSignal,
  read: () => Promise<ShortOrders>,
): Promise<boolean> {
  for (;;) {
    const waiting = await read();
    let allotted = 0;
    for (const { seller_id, order_id } of waiting) {
      if (signal.aborted) return false;
      if (await allot(services, seller_id, order_id)) allotted += 1;
    }
    if (waiting.length < SHORT_ORDERS_MAX || allotted === 0) return true;
  }
}

/** As soon as stock has come in. */
const allocate = defineJob({
  kind: STOCK_JOB,
  recurring: false,
  async handler(services, { seller_id }, signal) {
    const sellerId = seller_id ?? '';
    const done = await allotAll(services, signal, () =>
      services.withSeller(sellerId, 'read', (db) => shortOrders(db, sellerId)),
    );
    return done ? undefined : { againAt: services.now() };
  },
});

/** For stock that came in without a word: by the hand of an operator, or an older release beside this one. */
const allocateAll = defineJob({
  kind: 'orders.allocate',
  recurring: true,
  async handler(services, _job, signal) {
    const read = () => services.withSystem('jobs', 'read', (db) => shortOrders(db));
    const done = await allotAll(services, signal, read);
    return { againAt: services.now() + (done ? ALLOCATE_EVERY_MS : 0) };
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

export const jobs = [timers, allocate, allocateAll, voidLabels, purchases];
