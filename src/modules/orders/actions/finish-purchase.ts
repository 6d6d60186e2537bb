/** The worker's part of buying a label: it finishes purchases whose request has ended. See `buy-label.ts`. */

import type { Acting } from '../../../kernel/context.ts';
import { findPurchase, type LabelPurchase, setPurchaseStatus } from '../store/label-purchases.ts';
import type { Author } from '../store/order-history.ts';
import {
  dropPurchase,
  GIVE_UP_AFTER_MS,
  isLeased,
  isRefused,
  leaseMs,
  leasePurchase,
  recordFailure,
  recordLabel,
} from './buy-label.ts';
import { planLabelVoid } from './change-order.ts';
import { type Carriers, connected, makeLabel } from './make-label.ts';

/**
 * Runs a function in a transaction of the seller, as the author of the purchase; undefined: as the system.
 */
export type InTransaction = <T>(author: Author | undefined, fn: (ctx: Acting) => Promise<T>) => Promise<T>;

type Next =
  | { readonly what: 'nothing' }
  | { readonly what: 'wait'; readonly until: number }
  | { readonly what: 'buy' | 'void'; readonly purchase: LabelPurchase };

async function nextOf(ctx: Acting, carriers: Carriers, labelId: string): Promise<Next> {
  const purchase = await findPurchase(ctx, labelId);
  if (purchase === undefined || purchase.status === 'ended') return { what: 'nothing' };
  if (purchase.status === 'dropped') return { what: 'void', purchase };
  if (purchase.status === 'open') {
    if (isLeased(purchase)) return { what: 'wait', until: ctx.now() + leaseMs(carriers) };
    await leasePurchase(ctx, carriers, labelId);
    return { what: 'buy', purchase };
  }
  const until = Date.parse(purchase.updated_at) + GIVE_UP_AFTER_MS;
  if (ctx.now() < until) return { what: 'wait', until };
  await dropPurchase(ctx, purchase);
  return { what: 'nothing' };
}

/** Calls the carrier once, as the request would have done. After a failure the seller may try again. */
async function buy(inTx: InTransaction, carriers: Carriers, purchase: LabelPurchase): Promise<void> {
  const { author, carrier } = purchase;
  const made = await makeLabel(connected(carriers, carrier), purchase).catch((error: unknown) =>
    inTx(author, (ctx) => recordFailure(ctx, purchase, error)),
  );
  if (made !== undefined) await inTx(author, (ctx) => recordLabel(ctx, purchase, made));
}

/**
 * Voids the label of a dropped purchase. To find out whether the carrier has made the label, the service asks for it
 * again under the same reference.
 */
async function voidDropped(inTx: InTransaction, carriers: Carriers, purchase: LabelPurchase): Promise<void> {
  const { order_id, label_id, carrier } = purchase;
  const made = await makeLabel(connected(carriers, carrier), purchase).catch((error: unknown) => {
    if (!isRefused(error)) throw error;
  });
  const carrier_reference = made?.carrier_reference ?? null;
  await inTx(undefined, async (ctx) => {
    await setPurchaseStatus(ctx, label_id, 'ended');
    if (carrier_reference !== null)
      await planLabelVoid(ctx, { order_id, label_id, carrier, carrier_reference });
  });
}

/** @returns when to run again; undefined when the purchase needs no more work */
export async function finishPurchase(
  inTx: InTransaction,
  carriers: Carriers,
  labelId: string,
): Promise<{ readonly againAt: number } | undefined> {
  const next = await inTx(undefined, (ctx) => nextOf(ctx, carriers, labelId));
  if (next.what === 'wait') return { againAt: next.until };
  if (next.what === 'buy') {
    await buy(inTx, carriers, next.purchase);
    return finishPurchase(inTx, carriers, labelId);
  }
  if (next.what === 'void') await voidDropped(inTx, carriers, next.purchase);
  return undefined;
}
