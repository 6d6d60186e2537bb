/** Erases a buyer in orders, their history and their stored events. Source: docs/design/buyers.md#erasure. */
import type { Acting } from '../../../kernel/context.ts';
import type { EventData } from '../../../kernel/declared-event.ts';
import type { Eraser } from '../../../kernel/eraser.ts';
import { reasonCode } from '../../../kernel/reason-code.ts';
import { rewriteEvents } from '../../../platform/outbox/rewrite-events.ts';
import { eraseNames, eraseOrder, withoutBuyer } from '../domain/erase-order.ts';
import type { Order } from '../domain/order.ts';
import { erasePurchases, readHistory, writeHistory } from '../store/erase-history.ts';
import { loadOrders, lockOrders } from '../store/load-orders.ts';
import { saveOrder } from '../store/save-order.ts';

/** Orders that are held in memory at once. */
const AT_ONCE = 50;

/** The ids of the objects that events of the order are about. */
const objectsOf = ({ head, shipments, returns, refunds, disputes }: Order): string[] => [
  head.order_id,
  ...shipments.map(({ shipment_id }) => shipment_id),
  ...returns.map(({ return_id }) => return_id),
  ...refunds.map(({ refund_id }) => refund_id),
  ...disputes.map(({ dispute_id }) => dispute_id),
];

async function eraseSome(ctx: Acting, ids: readonly string[], erasedAt: string | null): Promise<void> {
  const isOpen = erasedAt === null;
  await lockOrders(ctx, ids);
  const orders = await loadOrders(ctx, ids);
  for (const before of orders) {
    const after = structuredClone(before);
    if (erasedAt === null) eraseNames(after);
    else eraseOrder(after, erasedAt);
    // A list of changes shows what is left.
    after.head.updated_at = ctx.at();
    await saveOrder(ctx, before, after);
  }
  // The marketplace names returns and refunds within their order, so another order may have the same ids.
  const isOfThese = ({ object }: EventData): boolean =>
    ids.includes(String((object as { readonly order_id?: unknown } | null)?.order_id));
  await rewriteEvents(ctx, orders.flatMap(objectsOf), (data) =>
    isOfThese(data) ? (withoutBuyer(data, isOpen) as EventData) : data,
  );
  if (isOpen) return;
  const entries = await readHistory(ctx, ids);
  await writeHistory(
    ctx,
    entries.map(({ reason, facts, ...entry }) => ({
      ...entry,
      reason: reasonCode(reason),
      facts: withoutBuyer(facts, false),
    })),
  );
  await erasePurchases(ctx, ids);
}

/** @param erasedAt null: the orders keep what their delivery needs */
async function eraseAll(ctx: Acting, ids: readonly string[], erasedAt: string | null): Promise<void> {
  for (let done = 0; done < ids.length; done += AT_ONCE)
    await eraseSome(ctx, ids.slice(done, done + AT_ONCE), erasedAt);
}

export const orderEraser: Eraser = {
  columns: [
    'sales_order.buyer_alias',
    'sales_order.customer_ref',
    'sales_order.ship_to',
    'sales_order.placed_facts',
    'sales_order.search_text',
    'order_event.reason',
    'order_event.detail',
    'order_event.facts',
    'order_cancel_request.reason',
    'order_return.reason',
    'order_return.detail',
    'order_return_line.reason',
    'order_return_line.note',
    'order_refund.reason',
    'order_label.content',
    'order_label_purchase.content',
    'order_tracking.location',
    'order_tracking.detail',
  ],
  async erase(ctx, { order_ids, open_order_ids, erased_at }) {
    await eraseAll(ctx, order_ids, erased_at);
    await eraseAll(ctx, open_order_ids, null);
    return [...order_ids, ...open_order_ids];
  },
};
