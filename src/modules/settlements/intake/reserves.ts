/** `marketplace.reserve.*`: money that is held back and released. */
import Type from 'typebox';
import { defineMarketplaceEvent, IntakeRejection, type MarketplaceEvent } from '../../../kernel/events.ts';
import { minor } from '../../../kernel/money.ts';
import { DAY_FROM_2000, Nullable } from '../../../kernel/schema.ts';
import { holdReserve, releaseReserve } from '../actions/reserves.ts';
import { Name, Positive, sellersMoney } from './about-seller.ts';

const occurrenceOf = ({ id, time }: MarketplaceEvent<unknown>) => ({
  occurred_at: time,
  actor: 'marketplace',
  source_event_id: id,
});

const reserveHeld = defineMarketplaceEvent({
  type: 'marketplace.reserve.held',
  summary: 'Money is held back. What is left of it is released on `release_on`, a day in Sydney',
  subject: 'seller id',
  schema: Type.Object({
    reserve_id: Name,
    amount_minor: Positive,
    reason_code: Name,
    release_on: Type.Optional(
      Nullable(Type.String({ format: 'date', ...DAY_FROM_2000, description: 'Sydney day' })),
    ),
  }),
  example: { reserve_id: 'rsv_1', amount_minor: 5000, reason_code: 'risk', release_on: '2026-09-01' },
  apply: async (intake, event) => {
    const { ctx, currency } = await sellersMoney(intake, event);
    const { reserve_id, amount_minor, reason_code, release_on = null } = event.data;
    const reserve = { reserve_id, amount_minor: minor(amount_minor), currency, reason_code, release_on };
    const outcome = await holdReserve(ctx, reserve, occurrenceOf(event));
    if (outcome === 'differs')
      throw new IntakeRejection(
        'invalid_transition',
        `The reserve ${reserve_id} exists with another amount, reason or day.`,
      );
    return { status: outcome === 'known' ? 'stale' : 'applied' };
  },
});

const reserveReleased = defineMarketplaceEvent({
  type: 'marketplace.reserve.released',
  summary: 'Money that was held back is released; without an amount, the rest of the reserve',
  subject: 'seller id',
  schema: Type.Object({
    release_id: Name,
    reserve_id: Name,
    amount_minor: Type.Optional(Nullable(Positive)),
  }),
  example: { release_id: 'rsv_1r', reserve_id: 'rsv_1', amount_minor: 5000 },
  apply: async (intake, event) => {
    const { ctx } = await sellersMoney(intake, event);
    const { release_id, reserve_id, amount_minor } = event.data;
    const amount = amount_minor == null ? undefined : minor(amount_minor);
    const outcome = await releaseReserve(ctx, reserve_id, release_id, amount, occurrenceOf(event));
    if (outcome === 'not_found')
      throw new IntakeRejection('reserve_not_found', 'The seller has no such reserve.');
    if (outcome === 'exceeded')
      throw new IntakeRejection('release_exceeds_reserve', 'The reserve has less left than this amount.');
    return { status: outcome === 'known' ? 'stale' : 'applied' };
  },
});

export const reserveEvents = [reserveHeld, reserveReleased];
