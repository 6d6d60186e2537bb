/** The machine of a listing. Source: docs/design/supply.md#listings. */
import { defineMachine } from '../../../kernel/machine.ts';

export const LISTING_STATUSES = ['active', 'paused', 'ended'] as const;
export type ListingStatus = (typeof LISTING_STATUSES)[number];
const LIVE = ['active', 'paused'] as const;

export const listingMachine = defineMachine({
  name: 'dropship_listing',
  title: 'Dropship listing',
  states: LISTING_STATUSES,
  rows: [
    {
      event: 'create',
      from: [],
      to: LIVE,
      by: 'seller',
      guard: 'the item is active and for dropship; no other live listing has the product or the item',
      emits: ['dropship_listing.created'],
    },
    {
      event: 'pause',
      from: LIVE,
      to: ['paused'],
      by: 'seller',
      guard: null,
      emits: ['dropship_listing.paused'],
    },
    {
      event: 'resume',
      from: LIVE,
      to: LIVE,
      by: 'seller',
      guard: 'stays paused while another reason holds',
      emits: ['dropship_listing.resumed'],
    },
    {
      event: 'mirror',
      from: LIVE,
      to: LIVE,
      by: 'timer',
      guard: 'a reason of the supplier or of its count comes or goes',
      emits: ['dropship_listing.paused', 'dropship_listing.resumed'],
    },
    {
      event: 'end',
      from: LIVE,
      to: ['ended'],
      by: 'seller',
      guard: 'no units of orders are with the supplier',
      emits: ['dropship_listing.ended'],
    },
  ],
});
