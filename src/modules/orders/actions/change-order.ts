/**
 * The one way to change an order, whoever does it: hold it, let a rule work on a copy, move the stock, write what
 * changed with its history, its events and its next timer. All in the caller's transaction.
 */

import { isDeepStrictEqual } from 'node:util';
import type { DeclaredEvent } from '../../../kernel/declared-event.ts';
import { insertJob } from '../../../platform/jobs/job-statements.ts';
import { availableUnits, holdStock, moveStock, reserveStock } from '../../products/index.ts';
import type { Order, OrderLine } from '../domain/order.ts';
import { holdUnits, wantedUnits } from '../domain/place.ts';
import { settle } from '../domain/settle.ts';
import { openWork, type Work } from '../domain/work.ts';
import { orderToWire } from '../schemas/to-wire.ts';
import { loadOrder, lockOrders } from '../store/load-orders.ts';
import { insertEntries } from '../store/order-history.ts';
import { saveOrder } from '../store/save-order.ts';
import { bookMoney } from './book-money.ts';
import type { ChangeContext } from './change-context.ts';
import { entriesOf } from './entries-of.ts';
import { eventsOf } from './events-of.ts';

export const TIMER_JOB = 'orders.timers';
/** Tells a carrier that a label is void. */
export const VOID_JOB = 'orders.void_label';

export type { ChangeContext };

export interface Changed<T> {
  readonly order: Order;
  readonly result: T;
}

const stockContext = (ctx: ChangeContext) => ({
  db: ctx.db,
  seller_id: ctx.sellerId,
  by: ctx.author.actor,
  at: () => new Date(ctx.now()).toISOString(),
  ids: ctx.ids,
  correlation: { request_id: ctx.author.request_id, idempotency_key: null },
  emit: (...events: DeclaredEvent[]) => ctx.emit(...events),
});

/** Holds the stock behind orders, for work on many of them: all of it at once, so that nobody waits in a circle. */
export async function holdStockOf(ctx: ChangeContext, orders: readonly Order[]): Promise<void> {
  const ids = orders.flatMap(({ lines }) => lines.flatMap(({ product_id }) => product_id ?? []));
  await holdStock(ctx.db, ctx.sellerId, [...new Set(ids)], new Date(ctx.now()).toISOString());
}

type Wanted = readonly { readonly line: OrderLine; readonly quantity: number }[];

async function reserve(
  ctx: ChangeContext,
  { order }: Work,
  wanted: Wanted,
  units: readonly { readonly product_id: string; readonly quantity: number }[],
): Promise<void> {
  const reserved = await reserveStock(
    stockContext(ctx),
    units.filter(({ quantity }) => quantity > 0),
    order.head.order_id,
  );
  const touched = new Set(wanted.map(({ line }) => line.order_line_id));
  holdUnits(
    order.lines.filter(({ order_line_id }) => touched.has(order_line_id)),
    reserved,
  );
}

/** Holds stock for all units of a new order; what is missing is told. */
export function reserveAll(ctx: ChangeContext, work: Work, wanted: Wanted): Promise<void> {
  return reserve(ctx, work, wanted, wantedUnits(wanted));
}

/** Holds stock for units that have none, as far as there is some. */
export async function topUp(ctx: ChangeContext, work: Work, wanted: Wanted): Promise<void> {
  const units = wantedUnits(wanted);
  const available = await availableUnits(
    ctx.db,
    ctx.sellerId,
    units.map(({ product_id }) => product_id),
  );
  const there = units.map(({ product_id, quantity }) => ({
    product_id,
    quantity: Math.min(quantity, available.get(product_id) ?? quantity),
  }));
  await reserve(ctx, work, wanted, there);
}

async function schedule(ctx: ChangeContext, before: Order | undefined, { head }: Order): Promise<void> {
  const { next_due_at: due, order_id, version } = head;
  if (due === null || due === before?.head.next_due_at) return;
  // One job for each instant: none has to be moved, and one that comes too early finds nothing to do. The version
  // tells a new one from one of the same instant that is just ending without having found anything to do.
  const job = {
    kind: TIMER_JOB,
    sellerId: ctx.sellerId,
    payload: { order_id },
    uniqueKey: `${ctx.sellerId} ${order_id} ${due} ${version}`,
    dueAt: Date.parse(due),
  };
  await ctx.db.run(insertJob(ctx.ids.next('job_'), job, ctx.now()));
}

interface VoidedLabel {
  readonly order_id: string;
  readonly label_id: string;
  readonly carrier: string;
  readonly carrier_reference: string;
}

/** Has the worker tell the carrier that a label is void: it may be slow to answer. */
export async function tellCarrier({ db, sellerId, ids, now }: ChangeContext, label: VoidedLabel) {
  const uniqueKey = `${sellerId} ${label.label_id}`;
  const job = { kind: VOID_JOB, sellerId, payload: { ...label }, uniqueKey, dueAt: now() };
  await db.run(insertJob(ids.next('job_'), job, now()));
}

async function tellCarriers(
  ctx: ChangeContext,
  before: Order | undefined,
  { labels, head }: Order,
): Promise<void> {
  const { order_id } = head;
  for (const { label_id, status, carrier, content } of labels) {
    const { carrier_reference } = content;
    const was = before?.labels.find((label) => label.label_id === label_id)?.status;
    if (status === 'voided' && was !== 'voided' && carrier_reference !== null)
      await tellCarrier(ctx, { order_id, label_id, carrier, carrier_reference });
  }
}

/** What the stock did not have was not taken from it by parcels that went, and is not put back if they did not. */
async function keepTaken(
  ctx: ChangeContext,
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
  await saveOrder(ctx.db, ctx.sellerId, saved, order);
}

/** Writes a finished work. */
export async function finishWork(ctx: ChangeContext, before: Order | undefined, work: Work): Promise<Order> {
  const { order, at } = work;
  settle(work);
  order.head.version += 1;
  order.head.updated_at = at;
  const wire = orderToWire(order);
  const previous = before === undefined ? undefined : orderToWire(before);
  await Promise.all([
    saveOrder(ctx.db, ctx.sellerId, before, order),
    insertEntries(ctx.db, ctx.sellerId, ctx.author, at, entriesOf(work, previous, wire)),
    ctx.emit(...eventsOf(work, before, previous, wire)),
  ]);
  const action = work.notes[0]?.action ?? 'changed';
  const missing = await moveStock(stockContext(ctx), work.moves, `order_${action}`, order.head.order_id);
  await keepTaken(ctx, before, order, missing);
  await tellCarriers(ctx, before, order);
  await schedule(ctx, before, order);
  // Last, because whoever posts holds the seller's ledger.
  await bookMoney(ctx, before, work);
  return order;
}

/**
 * Changes an order of the seller.
 *
 * @param rule works on a copy; of a work without notes only what came to be known is written, and nobody is told
 * @returns undefined when the seller has no such order
 * @throws whatever the rule throws; nothing was written then but stock that it topped up
 */
export async function changeOrder<T>(
  ctx: ChangeContext,
  orderId: string,
  rule: (work: Work) => T | Promise<T>,
): Promise<Changed<T> | undefined> {
  await lockOrders(ctx.db, ctx.sellerId, [orderId]);
  const before = await loadOrder(ctx.db, ctx.sellerId, orderId);
  if (before === undefined) return undefined;
  const work = openWork(before, ctx.now(), (kind) => ctx.ids.next(kind));
  const result = await rule(work);
  if (work.notes.length === 0) {
    if (!isDeepStrictEqual(work.order, before)) await saveOrder(ctx.db, ctx.sellerId, before, work.order);
    return { order: work.order, result };
  }
  return { order: await finishWork(ctx, before, work), result };
}
