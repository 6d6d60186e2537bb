import Type from 'typebox';
import { Instant } from '../../../kernel/schema.ts';

export const DataRequest = Type.Object(
  {
    delivery_id: Type.String({ description: 'The delivery, `cdl_…`' }),
    channel_id: Type.String({ description: 'The channel, `chn_…`' }),
    shop: Type.String({ description: 'Domain of the store' }),
    received_at: Instant({ description: 'When it arrived' }),
  },
  { title: 'StoreDataRequest', description: 'A request of a store’s buyer, without the buyer.' },
);
export const DATA_REQUEST_EXAMPLE = {
  delivery_id: 'cdl_01j0000000000000000000000',
  channel_id: 'chn_01j0000000000000000000000',
  shop: 'mia-ceramics.myshopify.com',
  received_at: '2026-06-28T01:00:00.000Z',
};
