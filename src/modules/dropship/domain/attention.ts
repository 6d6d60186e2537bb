/** Why somebody should look at a dropship order, and by when. Source: docs/design/supply.md#dropship-orders. */
import type { Order } from '../../orders/domain/order.ts';
import { openOf } from '../../orders/domain/order.ts';
import { ownWaiting } from '../../orders/domain/own-units.ts';
import { type FoldedLine, newLine } from './fold.ts';

export const ATTENTIONS = ['with_seller', 'late', 'shipped_after_cancel'] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** @param lines those of the dropship order, by the lines of the order */
export function attentionOf(order: Order, lines: ReadonlyMap<string, FoldedLine>) {
  const pairs = order.lines.map((line) => ({ line, of: lines.get(line.order_line_id) ?? newLine() }));
  const waits = pairs.some(
    ({ line, of }) => Math.min(of.returned - of.returned_accepted, ownWaiting(line)) > 0,
  );
  const isWithSeller = pairs.some(({ line, of }) => Math.min(of.returned, openOf(line) - line.supplied) > 0);
  const is: Readonly<Record<Attention, boolean>> = {
    with_seller: isWithSeller,
    late: order.head.late_at !== null && pairs.some(({ of }) => of.accepted_open > 0),
    shipped_after_cancel: pairs.some(({ of }) => of.shipped_after_cancel > 0),
  };
  const act_by = waits ? order.head.accept_by : order.head.dispatch_by;
  return { attention: ATTENTIONS.filter((name) => is[name]), act_by: isWithSeller ? act_by : null };
}
