/** Offers of other sellers, as the marketplace sees them. Only the newest observation of a product is kept. */
import Type from 'typebox';
import { defineMarketplaceEvent, IntakeRejection, requireCurrency } from '../../../kernel/events.ts';
import { minorOrNull } from '../../../kernel/money.ts';
import { INSTANT_FROM_2000, Nullable } from '../../../kernel/schema.ts';
import { actingForSeller } from '../../../platform/acting-for-seller.ts';
import { requestPass } from '../actions/run-pass.ts';
import { lastPass } from '../store/products.ts';
import { knowsProduct, storeOffer } from '../store/tables.ts';

const AMOUNT_MAX = 1_000_000_000_000;
const Amount = Nullable(Type.Integer({ minimum: 0, maximum: AMOUNT_MAX }));
const COUNT_MAX = 1_000_000;
/** The clocks of the marketplace and of this service may differ so much. */
const AHEAD_MAX_MS = 300_000;

export const priceObserved = defineMarketplaceEvent({
  type: 'marketplace.price.observed',
  summary: 'What other sellers ask for a product; amounts are null when no other seller offers it',
  subject: 'product id',
  schema: Type.Object({
    observed_at: Type.String({ format: 'date-time', ...INSTANT_FROM_2000 }),
    currency: Type.String({ minLength: 3, maxLength: 3 }),
    condition: Type.String({ minLength: 1, maxLength: 50 }),
    offers_count: Type.Integer({ minimum: 0, maximum: COUNT_MAX }),
    lowest_minor: Amount,
    featured_minor: Amount,
    featured_is_own: Type.Boolean(),
  }),
  example: {
    observed_at: '2026-07-20T01:00:00Z',
    currency: 'AUD',
    condition: 'new',
    offers_count: 7,
    lowest_minor: 2_299,
    featured_minor: 2_399,
    featured_is_own: false,
  },
  apply: async (intake, { subject, seller_id, data }) => {
    const ctx = await actingForSeller(intake, seller_id, 'sellerid must name a seller.');
    requireCurrency('currency', data.currency);
    const observedAt = Date.parse(data.observed_at);
    // All observations until then would be stale.
    if (!(observedAt <= ctx.now() + AHEAD_MAX_MS))
      throw new IntakeRejection(
        'data_invalid',
        `data/observed_at must be an instant that is at most five minutes ahead: ${data.observed_at}`,
      );
    if (subject === null || !(await knowsProduct(ctx, subject)))
      throw new IntakeRejection('product_not_found', 'The seller has no such product.');
    const stored = await storeOffer(ctx, {
      ...data,
      product_id: subject,
      observed_at: new Date(observedAt).toISOString(),
      lowest_minor: minorOrNull(data.lowest_minor),
      featured_minor: minorOrNull(data.featured_minor),
      recorded_at: ctx.at(),
    });
    if (!stored) return { status: 'stale' };
    if ((await lastPass(ctx)) !== undefined) await requestPass(ctx);
    return { status: 'applied' };
  },
});
