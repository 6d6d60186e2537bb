/** `marketplace.payout.updated`: who pays by other means than a provider's adapter says how it goes. */

import Type from 'typebox';
import { defineMarketplaceEvent, IntakeRejection } from '../../../kernel/events.ts';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { settlementIntake } from '../../settlements/index.ts';
import { updatePayout } from '../actions/update-payout.ts';
import { PAYOUT_WORDS } from '../domain/payout-update.ts';
import { findByProviderId, findPayout, type PayoutRow } from '../store/payouts.ts';

/** Payments that the marketplace makes and confirms itself. */
const MANUAL = 'manual';
const words = (maxLength: number) => Type.Optional(Nullable(Type.String({ minLength: 1, maxLength })));

export const payoutUpdated = defineMarketplaceEvent({
  type: 'marketplace.payout.updated',
  summary:
    'A payout was sent, has arrived, failed or came back; with a settlement as subject `in_transit` makes its next payout',
  subject: 'payout id or settlement id',
  schema: Type.Object({
    provider_payout_id: words(200),
    status: StringEnum(PAYOUT_WORDS),
    at: Type.Optional(Nullable(Instant({ description: 'When; absent: when the event says' }))),
    failure_code: words(100),
    payment_reference: words(140),
    bank_reference: words(140),
  }),
  example: {
    provider_payout_id: 'po_1',
    status: 'in_transit',
    at: '2026-07-16T01:00:00Z',
    payment_reference: 'MKT STL 202607A',
  },
  apply: (intake, event) =>
    settlementIntake(intake, event, async (ctx) => {
      const { db, sellerId } = ctx;
      const { data, subject } = event;
      const provider_payout_id = data.provider_payout_id ?? null;
      const byProvider = (id: string | null): Promise<PayoutRow | undefined> | undefined =>
        id === null ? undefined : findByProviderId(db, sellerId, MANUAL, id);
      const isSettlement = subject?.startsWith('stl_') === true;
      const named =
        (isSettlement || subject === null ? undefined : await findPayout(db, sellerId, subject)) ??
        (await byProvider(provider_payout_id)) ??
        (isSettlement ? undefined : await byProvider(subject));
      const settlementId = isSettlement ? subject : named?.settlement_id;
      if (settlementId === undefined)
        throw new IntakeRejection('payout_not_found', 'The seller has no such payout.');
      if (named !== undefined && named.settlement_id !== settlementId)
        throw new IntakeRejection('data_invalid', 'The payout is one of another settlement.');
      return updatePayout(ctx, settlementId, named, {
        word: data.status,
        at: new Date(data.at ?? event.time).toISOString(),
        provider: MANUAL,
        provider_payout_id,
        failure_code: data.failure_code ?? null,
        payment_reference: data.payment_reference ?? null,
        bank_reference: data.bank_reference ?? null,
        source_event_id: event.id,
      });
    }),
});
