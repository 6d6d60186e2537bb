/** `marketplace.payout.updated`: a marketplace that pays sellers itself reports the state of a payout. */

import Type from 'typebox';
import { defineMarketplaceEvent, IntakeRejection } from '../../../kernel/events.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { settlementIntake } from '../../settlements/index.ts';
import { updatePayout } from '../actions/update-payout.ts';
import { REPORTED_STATUSES } from '../domain/payout-update.ts';
import { findByProviderId, findPayout, type PayoutRow } from '../store/payouts.ts';

/** The name of the provider for payouts that the marketplace makes and reports itself. */
const MANUAL = 'manual';
const optionalText = (maxLength: number) => Type.Optional(Nullable(Type.String({ minLength: 1, maxLength })));

/** @throws IntakeRejection `data_invalid` when the subject is a payout and the provider's id is another's */
function requireSamePayout(
  bySubject: PayoutRow | undefined,
  byReference: PayoutRow | undefined,
  providerPayoutId: string | null,
): void {
  if (bySubject === undefined || providerPayoutId === null) return;
  const isOther = byReference !== undefined && byReference.payout_id !== bySubject.payout_id;
  if (isOther || (bySubject.provider_payout_id ?? providerPayoutId) !== providerPayoutId)
    throw new IntakeRejection(
      'data_invalid',
      'subject and data/provider_payout_id name different payouts; send the id of one',
    );
}

export const payoutUpdated = defineMarketplaceEvent({
  type: 'marketplace.payout.updated',
  summary:
    'A payout was sent, has arrived, has failed or was returned; with a settlement as subject, `in_transit` begins its next payout',
  subject: 'payout id or settlement id',
  schema: Type.Object({
    provider_payout_id: optionalText(200),
    status: StringEnum(REPORTED_STATUSES),
    at: Type.Optional(Nullable(Instant({ description: 'When it happened; absent: the time of the event' }))),
    failure_code: optionalText(100),
    payment_reference: optionalText(140),
    bank_reference: optionalText(140),
  }),
  example: {
    provider_payout_id: 'po_1',
    status: 'in_transit',
    at: '2026-07-16T01:00:00Z',
    payment_reference: 'MKT STL 202607A',
  },
  apply: (intake, event) =>
    settlementIntake(intake, event.seller_id, async (ctx) => {
      const { data, subject } = event;
      const provider_payout_id = data.provider_payout_id ?? null;
      const byProvider = (id: string | null): Promise<PayoutRow | undefined> | undefined =>
        id === null ? undefined : findByProviderId(ctx, MANUAL, id);
      const isSettlement = subject?.startsWith('stl_') === true;
      const bySubject =
        isSettlement || subject === null
          ? undefined
          : ((await findPayout(ctx, subject)) ?? (await byProvider(subject)));
      const byReference = await byProvider(provider_payout_id);
      requireSamePayout(bySubject, byReference, provider_payout_id);
      const named = bySubject ?? byReference;
      const settlementId = isSettlement ? subject : named?.settlement_id;
      if (settlementId === undefined)
        throw new IntakeRejection('payout_not_found', 'The seller has no such payout.');
      if (named !== undefined && named.settlement_id !== settlementId)
        throw new IntakeRejection('data_invalid', 'The payout belongs to another settlement.');
      return updatePayout(ctx, settlementId, named, {
        status: data.status,
        at: new Date(data.at ?? event.time).toISOString(),
        provider: MANUAL,
        provider_payout_id,
        failure_code: data.failure_code ?? null,
        payment_reference: data.payment_reference ?? null,
        bank_reference: data.bank_reference ?? null,
      });
    }),
});
