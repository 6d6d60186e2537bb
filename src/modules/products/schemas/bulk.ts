import Type from 'typebox';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { Finding, LookupText } from './parts.ts';
import { Product } from './product.ts';
import { ProductChange } from './product-input.ts';

/** At most 200 products in one request (docs/design/feeds-and-imports.md#products). */
export const BULK_MAX = 200;

export const BULK_OPERATIONS = ['upsert', 'create', 'update', 'archive'] as const;
export type BulkOperation = (typeof BULK_OPERATIONS)[number];

export const BulkInput = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        operation: Type.Optional(StringEnum(BULK_OPERATIONS, { description: 'Default: upsert' })),
        product_id: Type.Optional(
          Type.String({ description: 'Names the product; else the seller_sku does' }),
        ),
        seller_sku: Type.Optional(LookupText()),
        product: Type.Optional(ProductChange),
      }),
      { minItems: 1, maxItems: BULK_MAX },
    ),
  },
  { title: 'BulkInput' },
);

export const BulkResult = Type.Object(
  {
    counts: Type.Object({
      items: Type.Integer(),
      created: Type.Integer(),
      updated: Type.Integer(),
      unchanged: Type.Integer(),
      failed: Type.Integer(),
    }),
    results: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Place of the item in the request, from 0' }),
        status: Type.Integer({
          description: 'The status that the item would have had as a request of its own',
        }),
        outcome: StringEnum(['created', 'updated', 'unchanged', 'failed']),
        product: Nullable(Product),
        warnings: Type.Array(Finding),
        error: Nullable(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })),
      }),
    ),
  },
  { title: 'BulkResult' },
);
