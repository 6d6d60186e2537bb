/**
 * The only way to change an order: lock it, let a rule change a copy, move the stock, write the changes with
 * their history, events and next timer. All of it runs in the caller's transaction.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Acting } from '../../../kernel/context.ts';
import type { DeclaredEvent } from '../../../kernel/declared-event.ts';
import { availableUnits, holdStock, moveStock, reserveStock } from '../../products/index.ts';
import { deriveStatuses } from '../domain/derive-statuses.ts';
import { eraseWork } from '../domain/erase-order.ts';
import type { Order, OrderLine } from '../domain/order.ts';
import { holdUnits, wantedUnits } from '../domain/place.ts';
import { openWork, type Work } from '../domain/work.ts';
import { orderToWire } from '../schemas/to-wire.ts';
import { loadOrder, lockOrders } from '../store/load-orders.ts';
import { insertEntries } from '../store/order-history.ts';
import { saveOrder } from '../store/save-order.ts';
import { bookMoney } from './book-money.ts';
import { entriesOf } from './entries-of.ts';
import { eventsOf } from './events-of.ts';
import { followPromotions } from './promotions.ts';

export const TIMER_JOB = 'orders.timers';
/** Voids a label with its carrier. */
export const VOID_JOB = 'orders.void_label';

/** Follows an order with units that a supplier sends, after each of its changes. Dropship handles it. */
export const SUPPLIED_JOB = 'orders.supplied';

export interface Changed<T> {
  readonly order: Order;
  readonly result: T;
}

/** Locks the stock of many orders at once, in the order of ids, so that two requests never deadlock. */
export async function lockStockOf(ctx: Acting, orders: readonly Order[]): Promise<void> {
  const ids = orders.flatMap(({ lines }) => lines.flatMap(({ product_id }) => product_id ?? []));
  await holdStock(ctx.db, ctx.seller_id, [...new Set(ids)], ctx.at());
}

type Wanted = readonly { readonly line: OrderLine; readonly quantity: number }[];

async function reserve(
  ctx: Acting,
  { order, stockEvents }: Work,
  wanted: Wanted,
  units: readonly { readonly product_id: string; readonly quantity: number }[],
): Promise<void> {
  // One statement writes them together with the events of the order.
  const emit = async (...events: readonly DeclaredEvent[]): Promise<void> => {
    stockEvents.push(...events);
  };
  const { reserved, supplied } = await reserveStock(
    { ...ctx, emit },
    units.filter(({ quantity }) => quantity > 0),
    order.head.order_id,
  );
  const touched = new Set(wanted.map(({ line }) => line.order_line_id));
  holdUnits(
    order.lines.filter(({ order_line_id }) => touched.has(order_line_id)),
    reserved,
    supplied,
  );
}

/** Reserves stock for all units of a new order; missing units make the product's `oversold` event. */
export function reserveAll(ctx: Acting, work: Work, wanted: Wanted): Promise<void> {
  return reserve(ctx, work, wanted, wantedUnits(wanted));
}

/** Reserves stock for units that hold none, as far as some is available. */
export async function reserveMissing(ctx: Acting, work: Work, wanted: Wanted): Promise<void> {
  const units = wantedUnits(wanted);
  const available = await availableUnits(
    ctx.db,
    ctx.seller_id,
    units.map(({ product_id }) => product_id),
  );
  const reservable = units.map(({ product_id, quantity }) => ({
    product_id,
    quantity: Math.min(quantity, available.get(product_id) ?? quantity),
  }));
  await reserve(ctx, work, wanted, reservable);
}

async function schedule(ctx: Acting, before: Order | undefined, { head }: Order): Promise<void> {
  const { next_due_at: due, order_id, version } = head;
  if (due === null || due === before?.head.next_due_at) return;
  // There is one job for each instant, so no job has to be moved. A job that runs too early does nothing.
  // The version distinguishes a new job from an ending job for the same instant.
  await ctx.jobs.add({
    kind: TIMER_JOB,
    payload: { order_id },
    uniqueKey: `${ctx.seller_id} ${order_id} ${due} ${version}`,
    dueAt: Date.parse(due),
  });
}

interface VoidedLabel {
  readonly order_id: string;
  readonly label_id: string;
  readonly carrier: string;
  readonly carrier_reference: string;
}

/** Plans the job that voids a label with its carrier, which may be slow to answer. */
export const planLabelVoid = (ctx: Acting, label: VoidedLabel): Promise<void> =>
  ctx.jobs.add({
    kind: VOID_JOB,
    payload: { ...label },
    uniqueKey: `${ctx.seller_id} ${label.label_id}`,
    dueAt: ctx.now(),
  });

async function planLabelVoids(
  ctx: Acting,
  before: Order | undefined,
  { labels, head }: Order,
): Promise<void> {
  const { order_id } = head;
  for (const { label_id, status, carrier, content } of labels) {
    const { carrier_reference } = content;
    const was = before?.labels.find((label) => label.label_id === label_id)?.status;
    if (status === 'voided' && was !== 'voided' && carrier_reference !== null)
      await planLabelVoid(ctx, { order_id, label_id, carrier, carrier_reference });
  }
}

/**
 * Notes how many units the dispatch has taken from stock. The stock may have had fewer units, and a later cancellation
 * must not put the missing ones back.
 */
async function recordUnitsTaken(
  ctx: Acting,
  before: Order | undefined,
  order: Order,
  missing: ReadonlyMap<string, number>,
): Promise<void> {
  if (missing.size === 0) return;
  const saved = structuredClone(order);
  const left = new Map(missing);
  for (const row of order.shipment_lines) {
    const { shipment_id, order_line_id } = row;
    const was = before?.shipment_lines.find(
      (one) => one.shipment_id === shipment_id && one.order_line_id === order_line_id,
    );
    const product = order.lines.find((line) => line.order_line_id === order_line_id)?.product_id ?? '';
    const units = Math.min(Math.max(0, row.held - (was?.held ?? 0)), left.get(product) ?? 0);
    row.held -= units;
    left.set(product, (left.get(product) ?? 0) - units);
  }
  await saveOrder(ctx, saved, order);
}

async function followSupplied(ctx: Acting, { head, lines }: Order): Promise<void> {
  if (!lines.some(({ was_supplied }) => was_supplied)) return;
  const { order_id } = head;
  const uniqueKey = `${ctx.seller_id} ${order_id}`;
  await ctx.jobs.add({ kind: SUPPLIED_JOB, payload: { order_id }, uniqueKey, dueAt: ctx.now() });
}

/** Writes a change whose rules have run. */
export async function finishWork(ctx: Acting, before: Order | undefined, work: Work): Promise<Order> {
  const { order, at } = work;
  if (order.head.erased_at !== null) eraseWork(work);
  deriveStatuses(work);
  order.head.version += 1;
  order.head.updated_at = at;
  const wire = orderToWire(order);
  const previous = before && { order: before, wire: orderToWire(before) };
  await Promise.all([
    saveOrder(ctx, before, order),
    insertEntries(ctx, at, entriesOf(work, previous?.wire, wire)),
    ctx.emit(...work.stockEvents, ...eventsOf(work, previous, { order, wire })),
  ]);
  const action = work.notes[0]?.action ?? 'changed';
  const missing = await moveStock(ctx, work.moves, `order_${action}`, order.head.order_id);
  await recordUnitsTaken(ctx, before, order, missing);
  await planLabelVoids(ctx, before, order);
  await schedule(ctx, before, order);
  await followSupplied(ctx, order);
  await followPromotions(ctx, before, order);
  // Money is posted last, because posting locks the seller's ledger.
  await bookMoney(ctx, before, work);
  return order;
}

/**
 * Changes an order of the seller.
 *
 * @param rule changes a copy; without notes only the rows are written, without history and events
 * @returns undefined when the seller has no such order
 * @throws what the rule throws; the caller must roll back, because the rule may have reserved stock
 */
export async function changeOrder<T>(
  ctx: Acting,
  orderId: string,
  rule: (work: Work) => T | Promise<T>,
): Promise<Changed<T> | undefined> {
  await lockOrders(ctx, [orderId]);
  const before = await loadOrder(ctx, orderId);
  if (before === undefined) return undefined;
  const work = openWork(before, ctx.now(), (kind) => ctx.ids.next(kind));
  const result = await rule(work);
  if (work.notes.length === 0) {
    if (before.head.erased_at !== null) eraseWork(work);
    if (!isDeepStrictEqual(work.order, before)) await saveOrder(ctx, before, work.order);
    await ctx.emit(...work.stockEvents);
    return { order: work.order, result };
  }
  return { order: await finishWork(ctx, before, work), result };
}
