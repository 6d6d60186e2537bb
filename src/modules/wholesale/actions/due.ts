/** What the clock does with an order. */
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { outstanding } from '../domain/purchase.ts';
import { purchaseMachine } from '../domain/purchase-machine.ts';
import { purchaseEvents } from '../events.ts';
import { findPurchase, type Purchase, purchases } from '../store/orders.ts';
import { addFact } from './add-fact.ts';
import { showRead } from './show-purchase.ts';

/** Cancels what the supplier has not answered in time. */
async function endAnswer(ctx: Acting, before: Purchase): Promise<Purchase> {
  const { answer_by } = before.order;
  const isDue = answer_by !== null && Date.parse(answer_by) <= ctx.now();
  if (!isDue || before.lines.every(({ unconfirmed }) => unconfirmed === 0)) return before;
  const after = await addFact(ctx, before, {
    ...{ fact_id: 'no-answer', happened_at: answer_by, fact: { kind: 'not_answered' } },
  });
  const shown = await showRead(ctx, after);
  await ctx.emit(purchaseEvents.answerOverdue.of(shown), purchaseEvents.cancelled.of(shown));
  return after;
}

/** Tells once of each promised day that has passed while units are owed. */
async function tellOverdue(ctx: Acting, { order, ...rest }: Purchase): Promise<void> {
  const today = sydneyDate(ctx.now());
  const passed = rest.lines.flatMap((line) =>
    outstanding(line) > 0 && line.promised_on !== null && line.promised_on < today ? [line.promised_on] : [],
  );
  const overdue_told = passed.sort().at(-1);
  if (overdue_told === undefined || (order.overdue_told ?? '') >= overdue_told) return;
  const after = await writeVersion(purchases, ctx, order, { overdue_told });
  await ctx.emit(purchaseEvents.deliveryOverdue.of(await showRead(ctx, { order: after, ...rest })));
}

/** Brings an order to the state that the clock gives it. It is safe to run twice. */
export async function followClock(ctx: Acting, orderId: string): Promise<void> {
  const found = await findPurchase(ctx, orderId, 'for update');
  if (found === undefined || !purchaseMachine.allows('receive', found.order.status)) return;
  await tellOverdue(ctx, await endAnswer(ctx, found));
}
