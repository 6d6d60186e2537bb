/** `marketplace.settlement.hold_changed`: a reason to keep settlements from being paid begins or ends. */

import Type from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import { isOlder, orderOf } from '../../../kernel/event-order.ts';
import { defineMarketplaceEvent, IntakeRejection } from '../../../kernel/events.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { applyHolds } from '../actions/move-settlement.ts';
import { isOpenSettlement } from '../actions/open-settlements.ts';
import { ALL_SETTLEMENTS, findHold, writeHold } from '../store/holds.ts';
import { findSettlement } from '../store/settlements.ts';
import { sellerOf, settlementIntake } from './about-seller.ts';

/** Reasons that the marketplace decides; the others follow from the ledger. */
const MARKETPLACE_REASONS = [
  'risk_review',
  'kyc_required',
  'payouts_disabled',
  'provider_balance_mismatch',
] as const;

async function requireSettlement(ctx: Acting, settlementId: string): Promise<void> {
  const known =
    (await findSettlement(ctx, settlementId)) !== undefined || (await isOpenSettlement(ctx, settlementId));
  if (!known) throw new IntakeRejection('settlement_not_found', 'The seller has no such settlement.');
}

export const holdChanged = defineMarketplaceEvent({
  type: 'marketplace.settlement.hold_changed',
  summary: 'A reason to hold one settlement, or all settlements of a seller, begins or ends',
  subject: 'seller id',
  schema: Type.Object({
    reason: StringEnum(MARKETPLACE_REASONS),
    active: Type.Boolean(),
    settlement_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 100 }))),
    note: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
  }),
  example: { reason: 'risk_review', active: true, settlement_id: null, note: 'unusual volume' },
  apply: (intake, event) =>
    settlementIntake(intake, sellerOf(event), async (ctx) => {
      const { reason, active, settlement_id = null, note = null } = event.data;
      if (settlement_id !== null) await requireSettlement(ctx, settlement_id);
      const key = { settlement_id: settlement_id ?? ALL_SETTLEMENTS, reason };
      const order = orderOf(event);
      const known = await findHold(ctx, key);
      if (known !== undefined && isOlder(order, { at: known.ordered_at, version: known.ordered_version }))
        return false;
      await writeHold(ctx, {
        ...{ ...key, note, active, since: ctx.at() },
        ...{ ordered_at: order.at, ordered_version: order.version },
      });
      await applyHolds(ctx);
      return true;
    }),
});
