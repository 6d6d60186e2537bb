/**
 * Posts what the ledger does not know of orders that are paid for: those that a release without a ledger has left
 * behind. Goes through all of them, a page at a time; whoever goes on after an end in the midst finds what is left.
 */

import { defineJob } from '../../../platform/jobs/define-job.ts';
import type { NewJob } from '../../../platform/jobs/jobs.ts';
import type { Services } from '../../../platform/services.ts';
import { withoutJournals } from '../../ledger/index.ts';
import { openWork } from '../domain/work.ts';
import { type CapturedOrder, capturedAfter } from '../store/captured-orders.ts';
import { holdOrders, loadOrder } from '../store/load-orders.ts';
import { lastHappening } from '../store/order-history.ts';
import { contextOf } from './as-system.ts';
import { bookMoney } from './book-money.ts';

const POST_JOB = 'orders.post_captured';
/** Orders that are looked at in one go. */
const PAGE = 500;
/** Rounds through all orders: an older release may take payments beside this one, for as long as it is replaced. */
const ROUNDS = 2;
const ROUND_EVERY_MS = 3_600_000;

/** In a transaction of its own, so that the seller's ledger is held for one order only. */
async function postOrder(services: Services, { seller_id, order_id }: CapturedOrder): Promise<void> {
  await services.withSeller(seller_id, 'write', async (db) => {
    await holdOrders(db, seller_id, [order_id]);
    const order = await loadOrder(db, seller_id, order_id);
    if (order === undefined) return;
    const work = openWork(order, services.now(), (kind) => services.ids.next(kind));
    // What went back has no instant of its own on the order: it had by the last thing that happened to it.
    const occurred_at = (await lastHappening(db, seller_id, order_id)) ?? order.head.updated_at;
    work.notes.push({ action: 'posted', occurred_at });
    await bookMoney(contextOf(services, db, seller_id), undefined, work);
  });
}

/** @returns false when it was told to stop before the end */
async function postAll(
  services: Services,
  orders: readonly CapturedOrder[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const order of orders) {
    if (signal.aborted) return false;
    try {
      await postOrder(services, order);
    } catch (error) {
      // The others do not wait for it; it is posted with its next change, or is refused there too.
      services.log.error({ err: error, order_id: order.order_id }, 'an order could not be posted');
    }
  }
  return true;
}

/** The page after this one, or the next round; nothing where nothing was ever paid for. */
function nextJob(
  orders: readonly CapturedOrder[],
  { seller_id, round }: { readonly seller_id: string; readonly round: number },
  now: number,
): NewJob | undefined {
  const last = orders.length < PAGE ? undefined : orders.at(-1);
  if (last !== undefined) {
    const uniqueKey = `${round} ${last.seller_id} ${last.order_id}`;
    return { kind: POST_JOB, payload: { ...last, round }, uniqueKey, dueAt: now };
  }
  if (round === ROUNDS || (seller_id === '' && orders.length === 0)) return undefined;
  return {
    kind: POST_JOB,
    payload: { round: round + 1 },
    uniqueKey: `${round + 1}`,
    dueAt: now + ROUND_EVERY_MS,
  };
}

export const postCaptured = defineJob({
  kind: POST_JOB,
  recurring: false,
  async handler(services, { payload }, signal) {
    const { seller_id = '', order_id = '', round = 1 } = payload;
    const { withSystem, jobs } = services;
    const after = { seller_id: String(seller_id), order_id: String(order_id) };
    const orders = await withSystem('jobs', 'read', (db) => capturedAfter(db, after, PAGE));
    const unposted = await withSystem('jobs', 'read', (db) => withoutJournals(db, orders));
    if (!(await postAll(services, unposted, signal))) return { againAt: services.now() };
    const next = nextJob(orders, { ...after, round: Number(round) }, services.now());
    if (next !== undefined) await withSystem('jobs', 'read', (db) => jobs.add(db, next));
    return undefined;
  },
});
