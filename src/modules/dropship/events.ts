import { defineEvent } from '../../kernel/events.ts';
import { LISTING_EXAMPLE, Listing } from './schemas/listing.ts';

const listing = { schema: Listing, id: 'listing_id', example: LISTING_EXAMPLE } as const;

export const listingEvents = {
  created: defineEvent({
    ...listing,
    type: 'dropship_listing.created',
    summary: 'A supplier counts and ships a product of the seller',
  }),
  paused: defineEvent({
    ...listing,
    type: 'dropship_listing.paused',
    summary: 'Nothing of a dropship listing is for sale any more',
    notification: {
      severity: 'warning',
      title: 'Dropship listing {listing_id} of {supplier.name} is paused',
    },
  }),
  resumed: defineEvent({
    ...listing,
    type: 'dropship_listing.resumed',
    summary: 'A dropship listing is for sale again',
    clears: { types: ['dropship_listing.paused'] },
  }),
  ended: defineEvent({
    ...listing,
    type: 'dropship_listing.ended',
    summary: 'The seller counts the product again',
    clears: { types: ['dropship_listing.paused'] },
  }),
  costChanged: defineEvent({
    ...listing,
    type: 'dropship_listing.cost_changed',
    summary: 'The supplier asks another cost; the price of the product stays',
    notification: {
      severity: 'warning',
      title: '{supplier.name} asks {cost.unit_cost_minor} for a unit of listing {listing_id} now',
    },
  }),
};
