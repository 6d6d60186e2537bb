/** Carries a purchase of a label to its end when whoever opened it does not: see `buy-label.ts`. */

import { findPurchase, type LabelPurchase, settlePurchase } from '../store/label-purchases.ts';
import type { Author } from '../store/order-history.ts';
import {
  dropPurchase,
  isLeased,
  isRefused,
  leaseMs,
  leasePurchase,
  PATIENCE_MS,
  recordFailure,
  recordLabel,
} from './buy-label.ts';
import type { ChangeContext } from './change-context.ts';
import { tellCarrier } from './change-order.ts';
import { type Carriers, connected, makeLabel } from './make-label.ts';

/** Runs something in a transaction of the seller's, in somebody's name; undefined: in nobody's. */
export type InTransaction = <T>(
  author: Author | undefined,
  fn: (ctx: ChangeContext) => Promise<T>,
) => Promise<T>;

type Next =
  | { readonly what: 'nothing' }
  | { readonly what: 'wait'; readonly until: number }
  | { readonly what: 'buy' | 'give_back'; readonly purchase: LabelPurchase };

async function nextOf(ctx: ChangeContext, carriers: Carriers, labelId: string): Promise<Next> {
  const purchase = await findPurchase(ctx.db, ctx.sellerId, labelId);
  if (purchase === undefined || purchase.status === 'ended') return { what: 'nothing' };
  if (purchase.status === 'dropped') return { what: 'give_back', purchase };
  if (purchase.status === 'open') {
    if (isLeased(purchase)) return { what: 'wait', until: ctx.now() + leaseMs(carriers) };
    await leasePurchase(ctx, carriers, labelId);
    return { what: 'buy', purchase };
  }
  const until = Date.parse(purchase.updated_at) + PATIENCE_MS;
  if (ctx.now() < until) return { what: 'wait', until };
  await dropPurchase(ctx, purchase);
  return { what: 'nothing' };
}

/** Asks once, as the request would have; after a failure it is the seller's turn again. */
async function buy(inTx: InTransaction, carriers: Carriers, purchase: LabelPurchase): Promise<void> {
  const { author, carrier } = purchase;
  const made = await makeLabel(connected(carriers, carrier), purchase).catch((error: unknown) =>
    inTx(author, (ctx) => recordFailure(ctx, purchase, error)),
  );
  if (made !== undefined) await inTx(author, (ctx) => recordLabel(ctx, purchase, made));
}

/** Nobody knows whether the carrier made the label: asked again it names the one it made, and that is voided. */
async function giveBack(inTx: InTransaction, carriers: Carriers, purchase: LabelPurchase): Promise<void> {
  const { order_id, label_id, carrier } = purchase;
  const made = await makeLabel(connected(carriers, carrier), purchase).catch((error: unknown) => {
    if (!isRefused(error)) throw error;
  });
  const carrier_reference = made?.carrier_reference ?? null;
  await inTx(undefined, async (ctx) => {
    const at = new Date(ctx.now()).toISOString();
    await settlePurchase(ctx.db, ctx.sellerId, label_id, 'ended', { at });
    if (carrier_reference !== null)
      await tellCarrier(ctx, { order_id, label_id, carrier, carrier_reference });
  });
}

/** @returns when to look again; undefined: never */
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
  if (next.what === 'give_back') await giveBack(inTx, carriers, next.purchase);
  return undefined;
}
