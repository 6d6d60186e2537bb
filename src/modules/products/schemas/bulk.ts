import Type from 'typebox';
import { itemErrorSchema } from '../../../kernel/item-error.ts';
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

export const BulkResult = Type.Object(
  {
    counts: Type.Object(
      {
        items: Type.Integer({ description: 'Items in the request' }),
        created: Type.Integer({ description: 'Created products' }),
        updated: Type.Integer({ description: 'Changed products' }),
        unchanged: Type.Integer({ description: 'Items that did not change their product' }),
        failed: Type.Integer({ description: 'Rejected items' }),
      },
      { description: 'Number of items by outcome' },
    ),
    results: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Index of the item in the request, from 0' }),
        status: Type.Integer({
          description: 'HTTP status that the item would get as a single request',
        }),
        outcome: StringEnum(['created', 'updated', 'unchanged', 'failed'], {
          description: 'Outcome of the item',
        }),
        product: Nullable(Product),
        warnings: Type.Array(Finding, { description: 'Findings that did not stop the item' }),
        error: Nullable(itemErrorSchema),
      }),
      { description: 'One result per item, in the order of the items' },
    ),
  },
  { title: 'BulkResult', description: 'The outcome of each item.' },
);
