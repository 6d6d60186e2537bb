import Type, { type Static } from 'typebox';
import { Nullable, StringEnum } from '../../../kernel/schema.ts';
import { contactMarketplace, DONE, waitingFields } from '../../../kernel/waiting.ts';
import { LISTING_STATES } from '../domain/listing-state.ts';
import { MergedField } from './link.ts';

export const ListingStateSchema = StringEnum(LISTING_STATES, {
  title: 'ListingState',
  description: 'The first six are of the marketplace, the others of stores',
});
export const Listings = Type.Object(
  {
    product_id: Type.String({ description: 'The product, `prd_…`' }),
    seller_sku: Nullable(Type.String({ description: 'Its SKU' })),
    title: Nullable(Type.String({ description: 'Its title' })),
    listings: Type.Array(
      Type.Object(
        {
          channel_id: Type.String({ description: '`marketplace`, or a store’s channel' }),
          state: ListingStateSchema,
          fields: Type.Array(MergedField, { description: 'What differs, or waits for a person' }),
          ...waitingFields,
        },
        { title: 'Listing', description: 'A product on a channel.' },
      ),
      { description: 'One for each channel' },
    ),
  },
  { title: 'ProductListings', description: 'Where a product stands.' },
);
export type WireListings = Static<typeof Listings>;

export const LISTINGS_EXAMPLE: WireListings = {
  ...{ product_id: 'prd_01j0000000000000000000000', seller_sku: 'MUG-BLU', title: 'Blue mug' },
  listings: [
    {
      ...{ channel_id: 'marketplace', state: 'in_review', fields: [] },
      ...contactMarketplace('The marketplace reviews the product.'),
    },
    { channel_id: 'chn_01j0000000000000000000000', state: 'differs', fields: ['title'], ...DONE },
  ],
};
