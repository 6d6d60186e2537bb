import type { Acting } from '../../../kernel/context.ts';
import { planLimitNear, planLimitReached } from '../events.ts';
import { settleProductCount } from '../store/plan-slots.ts';

/** The share of the limit, in per cent, at which the seller is warned. */
const NEAR_PERCENT = 80;

/**
 * Counts the products that this transaction adds, and tells the seller when they pass 80 per cent or the whole of the
 * plan's limit. The count stays locked until the commit, so each passing is told once; call it shortly before.
 *
 * @returns the products without those of this transaction, when it exceeds the limit; else undefined
 */
export async function holdToPlan(ctx: Acting, allowed: number): Promise<number | undefined> {
  const { moved, counted: used } = await settleProductCount(ctx);
  const before = used - moved;
  if (moved > 0 && used > allowed) return before;
  const passes = (mark: number) => before < mark && mark <= used;
  const usage = { limit: 'products' as const, used, allowed };
  if (passes(allowed)) await ctx.emit(planLimitReached.of(usage));
  else if (passes(Math.ceil((allowed * NEAR_PERCENT) / 100))) await ctx.emit(planLimitNear.of(usage));
  return undefined;
}
