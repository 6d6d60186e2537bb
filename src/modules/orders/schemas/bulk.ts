import Type, { type Static } from 'typebox';
import { itemResults } from '../../../kernel/item-error.ts';
import { Nullable } from '../../../kernel/schema.ts';
import { OrderView } from './order.ts';

export const BulkResult = itemResults(
  'OrderBulkResult',
  { succeeded: 'Items that were carried out', failed: 'Rejected items' },
  { order_id: Type.String(), order: Nullable(OrderView) },
);
export type WireBulkResult = Static<typeof BulkResult>;
