/** `marketplace.settlement.hold_changed`: a reason to keep settlements from being paid begins or ends. */
import Type from 'typebox';
import type { Acting } from '../../../kernel/context.ts';
import { defineMarketplaceEvent, IntakeRejection } from '../../../kernel/events.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { applyHolds } from '../actions/move-settlement.ts';
import { isOpenSettlement } from '../actions/open-settlements.ts';
import { ALL_SETTLEMENTS, findHold, type HoldRow, writeHold } from '../store/holds.ts';
import { findSettlement } from '../store/settlements.ts';
import { sellerOf, settlementIntake } from './about-seller.ts';

/** Reasons that the marketplace decides; the others follow from the ledger. */
const MARKETPLACE_REASONS = [
  'risk_review',
  'kyc_required',
  'payouts_disabled',
  'provider_balance_mismatch',
] as const;

type Order = Pick<HoldRow, 'ordered_at' | 'ordered_version'>;

/** Whether an event is older than the last applied one. Versions decide if both have one, otherwise instants. */
function isStale(incoming: Order, applied: Order): boolean {
  if (incoming.ordered_version !== null && applied.ordered_version !== null)
    return incoming.ordered_version < applied.ordered_version;
  const { ordered_at } = applied;
  return ordered_at !== null && Date.parse(incoming.ordered_at ?? '') < Date.parse(ordered_at);
}

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
      const order: Order = { ordered_at: event.time, ordered_version: event.object_version };
      const known = await findHold(ctx, key);
      if (known !== undefined && isStale(order, known)) return false;
      await writeHold(ctx, { ...key, note, active, since: ctx.at(), ...order });
      await applyHolds(ctx);
      return true;
    }),
});
