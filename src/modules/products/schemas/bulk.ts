import Type from 'typebox';
import { itemErrorSchema } from '../../../kernel/item-error.ts';
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
        operation: Type.Optional(
          StringEnum(BULK_OPERATIONS, { description: 'What to do with the product; defaults to upsert' }),
        ),
        product_id: Type.Optional(
          Type.String({ description: 'Id of the product; without it `seller_sku` names the product' }),
        ),
        seller_sku: Type.Optional(LookupText()),
        product: Type.Optional(ProductChange),
      }),
      { minItems: 1, maxItems: BULK_MAX, description: 'Products to write, in this order' },
    ),
  },
  { title: 'BulkInput', description: 'Several products to write.' },
);

export const BulkResult = Type.Object(
  {
    counts: Type.Object(
      {
        items: Type.Integer({ description: 'Items of the request' }),
        created: Type.Integer({ description: 'Products created' }),
        updated: Type.Integer({ description: 'Products changed' }),
        unchanged: Type.Integer({ description: 'Products that were as asked for already' }),
        failed: Type.Integer({ description: 'Items that were refused' }),
      },
      { description: 'How many items went how' },
    ),
    results: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Place of the item in the request, from 0' }),
        status: Type.Integer({
          description: 'HTTP status that the item would have as a request of its own',
        }),
        outcome: StringEnum(['created', 'updated', 'unchanged', 'failed'], {
          description: 'What became of the item',
        }),
        product: Nullable(Product),
        warnings: Type.Array(Finding, { description: 'What was found that did not stop the item' }),
        error: Nullable(itemErrorSchema),
      }),
      { description: 'One result for each item, in the order of the items' },
    ),
  },
  { title: 'BulkResult', description: 'What became of each item.' },
);
