/** `marketplace.seller.tax_id_released`: a tax identifier no longer belongs to a seller. */
import Type, { type Static } from 'typebox';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { Nullable } from '../../../kernel/schema.ts';
import { TaxId } from '../schemas/registration.ts';
import { findSeller } from '../store/seller-row.ts';
import { lockTaxId, writeTaxId } from '../store/tax-ids.ts';
import { sellerIdOf } from './standing-changed.ts';

const Data = Type.Object({
  tax_id: TaxId,
  reason: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
});

/** The seller itself stays as it is; its number is free for another registration. */
async function applyReleased(
  intake: IntakeCtx,
  event: MarketplaceEvent<Static<typeof Data>>,
): Promise<IntakeOutcome> {
  const { tax_id } = event.data;
  const { db, seller_id } = intake.acting(sellerIdOf(event));
  const held = await lockTaxId(db, tax_id);
  if (held?.seller_id !== seller_id) {
    // A seller that has lost its number to another one keeps it as a record.
    if ((await findSeller({ db, seller_id }))?.tax_id === tax_id) return { status: 'stale' };
    throw new IntakeRejection('tax_id_not_found', 'This seller has no such tax_id.');
  }
  const { provisioned_at } = held;
  // The marketplace has decided since that the number is this seller's.
  if (provisioned_at !== null && Date.parse(event.time) < Date.parse(provisioned_at))
    return { status: 'stale' };
  const instants = [event.time, held.released_at ?? event.time].map((at) => Date.parse(at));
  await writeTaxId(db, { ...held, released_at: new Date(Math.max(...instants)).toISOString() });
  return { status: 'applied' };
}

export const taxIdReleased = defineMarketplaceEvent({
  type: 'marketplace.seller.tax_id_released',
  summary: 'Frees a tax id: another identity may register with it',
  subject: 'seller id',
  schema: Data,
  example: { tax_id: '51824753556', reason: 'registered by mistake' },
  apply: applyReleased,
});
