/** `marketplace.product.curation_decided`: the marketplace decides whether buyers may see a product. */
import Type from 'typebox';
import { defineMarketplaceEvent, IntakeRejection } from '../../../kernel/events.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { decideProduct } from '../actions/decide-curation.ts';

const REASONS_MAX = 50;

const Data = Type.Object({
  decision: StringEnum(['approved', 'rejected', 'suspended']),
  reviewed_version: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'The version of the product that was reviewed. Without it `objectversion` names the version, or else `time`: the newest version before it',
    }),
  ),
  reasons: Type.Optional(
    Type.Array(
      Type.Object({
        code: Type.String({ minLength: 1, maxLength: 64 }),
        detail: Type.Optional(Nullable(Type.String({ maxLength: 2_000 }))),
      }),
      { maxItems: REASONS_MAX },
    ),
  ),
});

export const curationDecided = defineMarketplaceEvent({
  type: 'marketplace.product.curation_decided',
  summary:
    'The marketplace approved or rejected a version of a product, or suspended the product. Buyers see the approved version until a later one is approved',
  subject: 'product id',
  schema: Data,
  example: {
    decision: 'rejected',
    reviewed_version: 2,
    reasons: [{ code: 'image_quality', detail: 'The image is blurred.' }],
  },
  apply: async (ctx, event) => {
    if (event.seller_id === null)
      throw new IntakeRejection('seller_not_found', 'sellerid must be the seller of the product.');
    return decideProduct(ctx, {
      sellerId: event.seller_id,
      productId: event.subject ?? '',
      decision: event.data.decision,
      reasons: (event.data.reasons ?? []).map(({ code, detail }) => ({ code, detail: detail ?? null })),
      reviewed_version: event.data.reviewed_version ?? null,
      order: { at: event.time, version: event.object_version },
    });
  },
});
