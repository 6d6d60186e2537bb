import Type, { type Static } from 'typebox';
import { itemErrorSchema } from '../../../kernel/item-error.ts';
import { described, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { OrderView } from './order.ts';

export const BulkResult = Type.Object(
  {
    counts: Type.Object(
      {
        items: Type.Integer({ description: 'Items of the request' }),
        succeeded: Type.Integer({ description: 'Items that were carried out' }),
        failed: Type.Integer({ description: 'Items that were refused' }),
      },
      { description: 'Number of items by result' },
    ),
    results: described(
      'One result for each item, in the order of the items',
      Type.Array(
        Type.Object({
          index: Type.Integer({ description: 'Place of the item in the request, from 0' }),
          order_id: Type.String(),
          status: Type.Integer({
            description: 'HTTP status that the item would get as a single request',
          }),
          outcome: described('Whether the item was carried out', StringEnum(['succeeded', 'failed'])),
          order: Nullable(OrderView),
          error: Nullable(itemErrorSchema),
        }),
      ),
    ),
  },
  { title: 'OrderBulkResult', description: 'The result of each item.' },
);
export type WireBulkResult = Static<typeof BulkResult>;
