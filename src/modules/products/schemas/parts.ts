/** Pieces that several resources of the catalogue share. */
import Type from 'typebox';
import { Instant, Nullable } from '../../../kernel/schema.ts';
import { FindingSeverity } from './enums.ts';

/** Texts under names of the seller's own choosing. */
export const TextMap = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Texts under names of the seller’s choosing',
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
  product_id: Type.String({ description: `Id of the product, \`${'prd_'}…\`` }),
});

/** One finding that did not stand in the way of the write, or one that did. */
export const Finding = Type.Object(
  {
    code: Type.String({ description: 'What was found, for programs' }),
    severity: FindingSeverity,
    column: Type.Optional(Type.String({ description: 'Column or field that it is about' })),
    value_excerpt: Type.Optional(
      Type.String({ description: 'Beginning of the value, at most 80 characters' }),
    ),
    message: Type.String({ description: 'What was found, for people' }),
    hint: Type.Optional(Type.String({ description: 'What to do about it' })),
    expected: Type.Optional(
      Type.String({ description: 'The value that would be right, where there is only one' }),
    ),
  },
  { title: 'Finding', description: 'Something that was found in a row, a header or a request.' },
);

/** How the product was identified (docs/design/feeds-and-imports.md#row-results). */
export const IdentityResolution = Type.Object(
  {
    strategy: Nullable(Type.String({ description: 'Strategy of the identity; null when none was given' })),
    normalised: Nullable(Type.String({ description: 'Canonical form of the identity' })),
    matched_by: Nullable(Type.String({ description: 'What the product was found by; null when it is new' })),
    candidates: Type.Array(
      Type.Object({
        product_id: Type.String(),
        seller_sku: NullableText,
        reason: Type.String({ description: 'Why the product was considered' }),
        confidence: Type.Number({ description: 'How sure the match is, from 0 to 1' }),
        chosen: Type.Boolean({ description: 'Whether the row or request is about this product' }),
      }),
      { description: 'Products that were considered' },
    ),
  },
  { title: 'IdentityResolution', description: 'How the product of a row or request was found.' },
);

/** One changed field; the values are JSON, amounts in minor units. */
export const ChangeEntry = Type.Object(
  {
    field: Type.String({ description: 'Name of the field' }),
    before: Type.Unknown({ description: 'Value before the change' }),
    after: Type.Unknown({ description: 'Value after the change' }),
  },
  { title: 'ChangeEntry', description: 'One changed field.' },
);
