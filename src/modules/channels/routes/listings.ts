import Type from 'typebox';
import { nameFilter } from '../../../kernel/schema.ts';
import { reads } from '../../../platform/rest/access.ts';
import { pageRoute } from '../../../platform/rest/page-route.ts';
import { showListings } from '../actions/show-listings.ts';
import { LISTINGS_EXAMPLE, ListingStateSchema, Listings } from '../schemas/listing.ts';
import { listedProducts } from '../store/listings.ts';

export const listingRoutes = [
  pageRoute({
    id: 'channels.listings.list',
    path: '/listings',
    summary: 'List where each product stands',
    description: 'Newest product first.',
    access: reads('catalogue'),
    filters: {
      channel_id: nameFilter('On this channel'),
      state: Type.Optional(ListingStateSchema),
    },
    schema: Listings,
    example: LISTINGS_EXAMPLE,
    read: async (ctx, { filters, after, limit }) => {
      const from = after?.[0] === undefined ? undefined : String(after[0]);
      const rows = await ctx.db.all(listedProducts(ctx.seller_id, filters, from, limit));
      return showListings(
        ctx,
        rows.map(({ product_id }) => product_id),
        filters.channel_id,
      );
    },
    position: ({ product_id }) => [product_id],
    view: (listings) => listings,
  }),
];
