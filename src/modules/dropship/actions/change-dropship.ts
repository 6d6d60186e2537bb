/** Changes one dropship order with its order. Source: docs/design/supply.md#dropship-orders. */
import type { Acting } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { changeOrder, type Order, orderErrors, type Work } from '../../orders/index.ts';
import { addFact, linesNow, settleNow } from '../domain/supplying.ts';
import { type DropshipOrder, dropshipOrders } from '../store/dropship-orders.ts';
import { nextDue, type Opened, openDropships } from './dropship-orders.ts';
import { saveDropships } from './save-dropships.ts';

/**
 * Changes a dropship order of the seller.
 *
 * @param act runs after the dropship order has followed its order
 * @returns undefined if the seller has no such dropship order
 */
export async function changeDropship<T>(
  ctx: Acting,
  dropshipOrderId: string,
  act: (work: Work, opened: Opened) => T | Promise<T>,
): Promise<{ readonly result: T; readonly dropship: DropshipOrder } | undefined> {
  const known = await dropshipOrders.find(ctx, { dropship_order_id: dropshipOrderId });
  if (known === undefined) return undefined;
  const changed = await changeOrder(ctx, known.order_id, async (work) => {
    const opened = await openDropships(ctx, work);
    const one = opened.find(({ row }) => row.dropship_order_id === dropshipOrderId);
    if (one === undefined) return undefined;
    const result = await act(work, one);
    const saved = await saveDropships(ctx, work.order, opened);
    const dropship = saved.find(({ row }) => row.dropship_order_id === dropshipOrderId);
    return dropship && { result, dropship };
  });
  return changed?.result;
}

/** Lets the dropship orders of an order follow it. @returns when something is due, in milliseconds */
export async function followOrderOf(ctx: Acting, orderId: string): Promise<number | undefined> {
  const changed = await changeOrder(ctx, orderId, async (work) => {
    const opened = await openDropships(ctx, work);
    await saveDropships(ctx, work.order, opened);
    return nextDue(work.order, opened);
  });
  return changed?.result;
}

interface Taken {
  readonly order_line_id: string;
  readonly quantity: number;
}

/** @throws ApiError 404, 409 `quantity_exceeds_open` */
function unitsToTake(order: Order, { supplying }: Opened, wanted: readonly Taken[] | undefined) {
  const lines = linesNow(order, supplying);
  const all = [...lines].map(([order_line_id, { queued }]) => ({ order_line_id, units: queued }));
  const open = all.reduce((sum, { units }) => sum + units, 0);
  if (wanted === undefined) {
    if (open === 0) throw fail(orderErrors.quantity_exceeds_open, { facts: { requested: null, open } });
    return all;
  }
  const asked = new Map<string, number>();
  for (const { order_line_id, quantity } of wanted)
    asked.set(order_line_id, (asked.get(order_line_id) ?? 0) + quantity);
  return [...asked].map(([order_line_id, units]) => {
    const line = all.find((one) => one.order_line_id === order_line_id);
    if (line === undefined) throw fail(coreErrors.not_found);
    if (units > line.units)
      throw fail(orderErrors.quantity_exceeds_open, {
        facts: { order_line_id, requested: units, open: line.units },
      });
    return { order_line_id, units };
  });
}

/**
 * The seller sends units itself of which the supplier does not know yet.
 *
 * @param check throws unless the dropship order has the version of the request
 * @throws ApiError 404, 409 `quantity_exceeds_open`
 */
export async function takeOver(
  ctx: Acting,
  dropshipOrderId: string,
  wanted: readonly Taken[] | undefined,
  check: (row: { readonly version: number }) => void,
): Promise<DropshipOrder> {
  const changed = await changeDropship(ctx, dropshipOrderId, (work, opened) => {
    check(opened.before?.row ?? opened.row);
    const units = unitsToTake(work.order, opened, wanted);
    const dated = { at: ctx.at(), fact_id: String(opened.row.version) };
    addFact(opened.supplying, 'take_over', units, dated);
    settleNow(work, opened.supplying);
  });
  if (changed === undefined) throw fail(coreErrors.not_found);
  return changed.dropship;
}
