import Type from 'typebox';
import { defineEvent } from '../../kernel/events.ts';
import { StringEnum } from '../../kernel/schema.ts';
import { BUYER_EXAMPLE } from './buyers.ts';

export const buyerErased = defineEvent({
  type: 'buyer.erased',
  summary: 'The personal data of a buyer were erased, or those that no delivery needs any more',
  schema: Type.Object(
    {
      buyer_id: Type.String({ description: 'The pseudonym that was erased' }),
      order_ids: Type.Array(Type.String(), { description: 'Orders that were erased now, at most 500' }),
      more: Type.Boolean({ description: 'Whether there are more orders than the list has' }),
      status: StringEnum(['done', 'partly_done'], {
        description: '`partly_done`: some orders keep the address until their units have arrived',
      }),
      open_order_ids: Type.Array(Type.String(), { description: 'Those orders, at most 500' }),
    },
    { title: 'BuyerErasure', description: 'What was erased of a buyer.' },
  ),
  id: 'buyer_id',
  example: {
    buyer_id: BUYER_EXAMPLE.buyer_id,
    order_ids: ['ord_1002'],
    more: false,
    status: 'partly_done',
    open_order_ids: ['ord_1005'],
  },
  notification: { severity: 'info', title: 'The personal data of buyer {buyer_id} were erased' },
  marketplace: true,
});
