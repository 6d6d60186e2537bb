/** Jobs of orders: deadlines, allocation of new stock, voided labels and unfinished purchases. */
import { ApiError } from '../../kernel/errors.ts';
import { acting } from '../../platform/acting.ts';
import { defineJob, runAgain } from '../../platform/jobs/define-job.ts';
import type { Services } from '../../platform/services.ts';
import { STOCK_JOB } from '../products/index.ts';
import { adapterOf } from '../shipping/index.ts';
import { isRefused, PURCHASE_JOB } from './actions/buy-label.ts';
import { changeAsSystem } from './actions/change-as-system.ts';
import { reserveMissing, TIMER_JOB, VOID_JOB } from './actions/change-order.ts';
import { finishPurchase, type InTransaction } from './actions/finish-purchase.ts';
import { nameBuyer } from './actions/name-buyer.ts';
import { missingOf } from './domain/derive-statuses.ts';
import { runTimers } from './domain/timers.ts';
import { emitOrder, type Work } from './domain/work.ts';
import { byAuthor } from './store/order-history.ts';
import { NAMELESS_MAX, ordersWithoutBuyer } from './store/orders-without-buyer.ts';
import { SHORT_ORDERS_MAX, shortOrders } from './store/short-orders.ts';

const ALLOCATE_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Runs the due timers of one order. The change plans the job of the next timer. */
const timers = defineJob({
  kind: TIMER_JOB,
  recurring: false,
  async handler(services, job) {
    await changeAsSystem(services, job.seller_id ?? '', String(job.payload['order_id']), runTimers);
    return undefined;
  },
});

const heldBy = ({ order }: Work): number => order.lines.reduce((sum, { reserved }) => sum + reserved, 0);

/** Reserves missing units of an order. @returns whether it holds more units now */
async function allocateStock(services: Services, sellerId: string, orderId: string): Promise<boolean> {
  let more = false;
  await changeAsSystem(services, sellerId, orderId, async (work, ctx) => {
    const before = heldBy(work);
    const wanted = work.order.lines.map((line) => ({ line, quantity: missingOf(line) }));
    await reserveMissing(ctx, work, wanted);
    more = heldBy(work) > before;
    if (!more) return;
    work.notes.push({ action: 'stock_allocated' });
    emitOrder(work, 'order.stock_allocated');
  });
  return more;
}

type ShortOrders = Awaited<ReturnType<typeof shortOrders>>;

/**
 * Allocates new stock to oversold orders, the oldest first.
 *
 * @returns false when the signal aborted it
 */
async function allocateToAll(
  services: Services,
  signal: AbortSignal,
  read: () => Promise<ShortOrders>,
): Promise<boolean> {
  for (;;) {
    const waiting = await read();
    let served = 0;
    for (const { seller_id, order_id } of waiting) {
      if (signal.aborted) return false;
      if (await allocateStock(services, seller_id, order_id)) served += 1;
    }
    if (waiting.length < SHORT_ORDERS_MAX || served === 0) return true;
  }
}

/** Runs as soon as stock has come in. */
const allocate = defineJob({
  kind: STOCK_JOB,
  recurring: false,
  async handler(services, { seller_id }, signal) {
    const sellerId = seller_id ?? '';
    const done = await allocateToAll(services, signal, () =>
      services.withSeller(sellerId, 'read', (db) => shortOrders(db, sellerId)),
    );
    return done ? undefined : { againAt: services.now() };
  },
});

/** Finds new stock for which there is no job, because an operator or a process of an older release has set it. */
const allocateAll = defineJob({
  kind: 'orders.allocate',
  recurring: true,
  catchesUp: true,
  async handler(services, _job, signal) {
    const read = () => services.withSystem('jobs', 'read', (db) => shortOrders(db));
    const done = await allocateToAll(services, signal, read);
    return { againAt: services.now() + (done ? ALLOCATE_EVERY_MS : 0) };
  },
});

/** Names the buyers of orders that a process of the release before has placed. */
const nameBuyers = defineJob({
  kind: 'orders.name_buyers',
  recurring: true,
  async handler(services, _job, signal) {
    const waiting = await services.withSystem('jobs', 'read', ordersWithoutBuyer);
    for (const { seller_id, order_id } of waiting) {
      if (signal.aborted) return { againAt: services.now() };
      await services.withSeller(seller_id, 'write', (db) =>
        nameBuyer(acting(services, { db, seller_id }), order_id),
      );
    }
    return waiting.length < NAMELESS_MAX ? runAgain(services, DAY_MS) : { againAt: services.now() };
  },
});

/** Voids a label. If the carrier refuses, the history shows it, so that the seller can ask the carrier. */
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

/** Finishes purchases of labels: see `actions/finish-purchase.ts`. */
const purchases = defineJob({
  kind: PURCHASE_JOB,
  recurring: false,
  handler(services, { seller_id, payload }) {
    const sellerId = seller_id ?? '';
    const inTx: InTransaction = (author, fn) =>
      services.withSeller(sellerId, 'write', (db) =>
        fn(acting(services, { db, seller_id: sellerId, ...(author && byAuthor(author)) })),
      );
    return finishPurchase(inTx, services, String(payload['label_id']));
  },
});

export const jobs = [timers, allocate, allocateAll, nameBuyers, voidLabels, purchases];
