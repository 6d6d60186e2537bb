/** What the marketplace's events about settlements and payouts have in common. */
import type { Acting } from '../../../kernel/context.ts';
import { type IntakeCtx, type IntakeOutcome, IntakeRejection } from '../../../kernel/events.ts';
import { lockLedger } from '../../ledger/index.ts';
import { sellerTerms } from '../store/holds.ts';

/**
 * Applies an event under the lock of the seller's ledger.
 *
 * @param apply returns false for an event that is older than what is known
 * @throws IntakeRejection `seller_not_found`, and what `apply` rejects
 */
export async function settlementIntake(
  intake: IntakeCtx,
  sellerId: string | null,
  apply: (ctx: Acting) => Promise<boolean>,
): Promise<IntakeOutcome> {
  const ctx = intake.acting(sellerId ?? '');
  if ((await sellerTerms(ctx)) === undefined)
    throw new IntakeRejection('seller_not_found', 'sellerid must name the seller.');
  await lockLedger(ctx);
  return { status: (await apply(ctx)) ? 'applied' : 'stale' };
}
