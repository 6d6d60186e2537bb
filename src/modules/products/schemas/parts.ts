/** Pieces that several resources of the catalogue share. */
import Type from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';

/** Texts under names of the seller's own choosing. */
export const TextMap = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  additionalProperties: { type: 'string' },
});

export const NullableText = Nullable(Type.String());
export const NullableInteger = Nullable(Type.Integer());

/** A text that is only looked up or noted down: anything that the database can hold. */
export const LookupText = (options: { readonly maxLength?: number; readonly description?: string } = {}) =>
  Type.String({ maxLength: 500, pattern: '^[^\\u0000]*$', ...options });

/** An instant to compare with. */
export const SinceInstant = (description: string) => Instant({ description });

/** Parameters of the routes of one product. An id of another shape names nothing: it is answered 404, not 422. */
export const productParams = Type.Object({
  product_id: Type.String({ description: `Identifier of the product, \`${'prd_'}…\`` }),
});

/** One finding that did not stand in the way of the write, or one that did. */
export const Finding = Type.Object(
  {
    code: Type.String(),
    severity: StringEnum(['error', 'warning', 'info']),
    column: Type.Optional(Type.String()),
    value_excerpt: Type.Optional(Type.String()),
    message: Type.String(),
    hint: Type.Optional(Type.String()),
    expected: Type.Optional(Type.String()),
  },
  { title: 'Finding' },
);

/** How the product was identified (docs/design/feeds-and-imports.md#row-results). */
export const IdentityResolution = Type.Object(
  {
    strategy: NullableText,
    normalised: NullableText,
    matched_by: NullableText,
    candidates: Type.Array(
      Type.Object({
        product_id: Type.String(),
        seller_sku: NullableText,
        reason: Type.String(),
        confidence: Type.Number(),
        chosen: Type.Boolean(),
      }),
    ),
  },
  { title: 'IdentityResolution' },
);

/** One changed field; the values are JSON, amounts in minor units. */
export const ChangeEntry = Type.Object(
  {
    field: Type.String(),
    before: Type.Unknown(),
    after: Type.Unknown(),
  },
  { title: 'ChangeEntry' },
);
