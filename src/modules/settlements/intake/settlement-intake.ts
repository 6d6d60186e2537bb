/** What every event of the marketplace about settlements has in common. */

import {
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { holdLedger } from '../../ledger/index.ts';
import type { SettlementCtx } from '../actions/move-settlement.ts';
import { ownMinimum } from '../store/holds.ts';

/**
 * Applies an event while the seller's ledger is held.
 *
 * @param rule false: older than what is known
 * @throws IntakeRejection `seller_not_found`, and whatever the rule refuses
 */
export async function settlementIntake(
  { db, ids, now, emit }: IntakeCtx,
  { seller_id }: Pick<MarketplaceEvent<unknown>, 'seller_id'>,
  rule: (ctx: SettlementCtx) => Promise<boolean>,
): Promise<IntakeOutcome> {
  const sellerId = seller_id ?? '';
  if ((await ownMinimum(db, sellerId)) === undefined)
    throw new IntakeRejection('seller_not_found', 'sellerid must name the seller.');
  await holdLedger(db, sellerId);
  const applied = await rule({
    db,
    sellerId,
    ids,
    now,
    actor: 'marketplace',
    emit: (...events) => emit(sellerId, ...events),
  });
  return { status: applied ? 'applied' : 'stale' };
}
