import Type from 'typebox';
import { itemResults } from '../../../kernel/item-error.ts';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { Finding, LookupText } from './parts.ts';
import { Product } from './product.ts';
import { ProductChange } from './product-input.ts';

/** At most 200 products in one request (docs/design/feeds-and-imports.md#products). */
export const BULK_MAX = 200;

const BULK_OPERATIONS = ['upsert', 'create', 'update', 'archive'] as const;
export type BulkOperation = (typeof BULK_OPERATIONS)[number];

export const BulkInput = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        operation: Type.Optional(
          StringEnum(BULK_OPERATIONS, { description: 'What to do with the product; defaults to `upsert`' }),
        ),
        product_id: Type.Optional(
          Type.String({ description: 'Id of the product; defaults to the product with the `seller_sku`' }),
        ),
        seller_sku: Type.Optional(LookupText()),
        product: Type.Optional(ProductChange),
      }),
      { minItems: 1, maxItems: BULK_MAX, description: 'The products to write, in this order' },
    ),
  },
  { title: 'BulkInput', description: 'Products to write.' },
);

export const BulkResult = itemResults(
  'BulkResult',
  {
    created: 'Created products',
    updated: 'Changed products',
    unchanged: 'Items that did not change their product',
    failed: 'Rejected items',
  },
  {
    product: Nullable(Product),
    warnings: Type.Array(Finding, { description: 'Findings that did not stop the item' }),
  },
);
