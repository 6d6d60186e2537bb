/** Moves of a promotion that no request of the seller makes. */
import type { Acting } from '../../../kernel/context.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import { dueMove } from '../domain/promotion.ts';
import { promotionEvents } from '../events.ts';
import { toWire } from '../schemas.ts';
import { type PromotionRow, promotions } from '../store.ts';

/** The job that starts and ends a promotion. */
export const DUE_JOB = 'marketing.promotion_due';

/** There is one job for each instant, so no job has to be moved. A job that runs too early does nothing. */
export const plan = (ctx: Acting, { promotion_id }: PromotionRow, instant: string): Promise<void> =>
  ctx.jobs.add({
    kind: DUE_JOB,
    payload: { promotion_id },
    uniqueKey: `${promotion_id} ${instant}`,
    dueAt: Date.parse(instant),
  });

/** Writes a move and emits its event to the seller and the marketplace. */
export async function move(
  ctx: Acting,
  before: PromotionRow,
  event: keyof typeof promotionEvents,
  change: Partial<PromotionRow>,
  facts?: object,
): Promise<PromotionRow> {
  const after = await writeVersion(promotions, ctx, before, change);
  await ctx.emit(promotionEvents[event].of(toWire(after), { change: facts }));
  return after;
}

/** Makes the moves of a locked promotion that are due by the clock and by its budget. It is safe to run twice. */
export async function settle(ctx: Acting, row: PromotionRow): Promise<void> {
  const due = dueMove(row, ctx.now());
  if (due !== undefined) await settle(ctx, await move(ctx, row, due.event, due.change));
}
