/** Names the buyer of an order that the release before has placed. Source: docs/design/buyers.md#pseudonyms. */
import type { Acting } from '../../../kernel/context.ts';
import { cleanAlias, resolveBuyer } from '../../../platform/buyers/buyers.ts';
import { eraseNames } from '../domain/erase-order.ts';
import { loadOrder, lockOrders } from '../store/load-orders.ts';
import { saveOrder } from '../store/save-order.ts';

export async function nameBuyer(ctx: Acting, orderId: string): Promise<void> {
  const placed = await loadOrder(ctx, orderId);
  if (placed === undefined) return;
  const { customer_ref, buyer_alias: alias, placed_at } = placed.head;
  // It locks the reference. An erasure locks the reference first too, then its orders.
  const buyer = await resolveBuyer(ctx, { customer_ref, alias }, placed_at);
  await lockOrders(ctx, [orderId]);
  const before = await loadOrder(ctx, orderId);
  if (before === undefined || before.head.buyer_id !== null || before.head.erased_at !== null) return;
  const after = structuredClone(before);
  if (buyer.erased) eraseNames(after);
  else {
    after.head.buyer_id = buyer.buyer_id;
    after.head.buyer_alias = cleanAlias(alias) ?? buyer.alias;
  }
  await saveOrder(ctx, before, after);
}
