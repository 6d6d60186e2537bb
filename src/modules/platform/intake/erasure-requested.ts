/** The marketplace asks to erase a buyer. Source: docs/design/buyers.md#erasure. */
import Type from 'typebox';
import { requireNotFuture } from '../../../kernel/event-order.ts';
import { defineMarketplaceEvent, IntakeRejection } from '../../../kernel/events.ts';
import { Instant } from '../../../kernel/schema.ts';
import { actingForSeller } from '../../../platform/acting-for-seller.ts';
import { eraseBuyer } from '../../../platform/buyers/erase-buyer.ts';

export const erasureRequested = defineMarketplaceEvent({
  type: 'marketplace.buyer.erasure_requested',
  summary:
    'A buyer asks to be forgotten; one event for each seller. An order that is still to be delivered keeps what its delivery needs: the warning `orders_open`. A reference that the seller does not know: `buyer_unknown`',
  subject: 'seller id',
  schema: Type.Object({
    request_id: Type.String({ minLength: 1, maxLength: 200 }),
    customer_ref: Type.String({ minLength: 1, maxLength: 200 }),
    requested_at: Type.Optional(Instant()),
  }),
  example: { request_id: 'ers-1', customer_ref: 'cus_77', requested_at: '2026-08-01T00:00:00Z' },
  apply: async (intake, { seller_id, subject, data, time }) => {
    const seller = seller_id ?? subject ?? '';
    if (subject !== null && subject !== seller)
      throw new IntakeRejection('data_invalid', 'subject must name the seller, and sellerid the same');
    const ctx = await actingForSeller(intake, seller, 'sellerid must name the seller of the buyer.');
    requireNotFuture(intake.now(), { 'data/requested_at': data.requested_at });
    const at = data.requested_at ?? time;
    const status = await eraseBuyer(ctx, intake.erasers, data.customer_ref, at);
    const warnings = { unknown: ['buyer_unknown'], partly_done: ['orders_open'], done: [] }[status];
    return { status: 'applied', warnings };
  },
});
