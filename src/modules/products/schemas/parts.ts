/** Schemas that several resources share. */
import Type from 'typebox';
import { Instant, Nullable, STORABLE } from '../../../kernel/schema.ts';
import { FindingSeverity } from './enums.ts';

export const TextMap = Type.Unsafe<Readonly<Record<string, string>>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Texts by name; the seller chooses the names',
});

export const NullableText = Nullable(Type.String());
export const NullableInteger = Nullable(Type.Integer());

/** A text without rules of its own. PostgreSQL cannot store U+0000. */
export const LookupText = (options: { readonly maxLength?: number; readonly description?: string } = {}) =>
  Type.String({ maxLength: 500, ...STORABLE, ...options });

export const SinceInstant = (description: string) => Instant({ description });

/** Parameters of the routes of one product. An id that is no product id gets 404, not 422. */
export const productParams = Type.Object({
  product_id: Type.String({ description: `Id of the product, \`${'prd_'}…\`` }),
});

export const Finding = Type.Object(
  {
    code: Type.String({ description: 'Code of the finding' }),
    severity: FindingSeverity,
    column: Type.Optional(Type.String({ description: 'Column or field that the finding is about' })),
    value_excerpt: Type.Optional(Type.String({ description: 'First 80 characters of the value' })),
    message: Type.String({ description: 'The finding, for people' }),
    hint: Type.Optional(Type.String({ description: 'What to do' })),
    expected: Type.Optional(Type.String({ description: 'The correct value or range, if known' })),
  },
  { title: 'Finding', description: 'An error, a warning or a note about a row, a header or a request.' },
);

/** How the product was identified (docs/design/feeds-and-imports.md#row-results). */
export const IdentityResolution = Type.Object(
  {
    strategy: Nullable(Type.String({ description: 'Strategy of the identity; null without an identity' })),
    normalised: Nullable(Type.String({ description: 'Canonical form of the identity' })),
    matched_by: Nullable(
      Type.String({ description: 'Key that found the product; null when the product is new' }),
    ),
    candidates: Type.Array(
      Type.Object({
        product_id: Type.String(),
        seller_sku: NullableText,
        reason: Type.String({ description: 'Why the product is a candidate' }),
        confidence: Type.Number({ description: 'How certain the match is, from 0 to 1' }),
        chosen: Type.Boolean({ description: 'Whether this is the product of the row or request' }),
      }),
      { description: 'Products that match the identity' },
    ),
  },
  { title: 'IdentityResolution', description: 'How the service found the product of a row or request.' },
);

export const ChangeEntry = Type.Object(
  {
    field: Type.String({ description: 'Name of the field' }),
    before: Type.Unknown({ description: 'Value before the change; amounts are in minor units' }),
    after: Type.Unknown({ description: 'Value after the change' }),
  },
  { title: 'ChangeEntry', description: 'One changed field.' },
);
