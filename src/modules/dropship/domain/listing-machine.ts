/** The machine of a listing. Source: docs/design/supply.md#listings. */
import { defineMachine, move } from '../../../kernel/machine.ts';

export const LISTING_STATUSES = ['active', 'paused', 'ended'] as const;
export type ListingStatus = (typeof LISTING_STATUSES)[number];
const LIVE = ['active', 'paused'] as const;

export const listingMachine = defineMachine({
  name: 'dropship_listing',
  title: 'Dropship listing',
  states: LISTING_STATUSES,
  rows: [
    move('create', [], LIVE, 'seller', {
      guard: 'the item is active and for dropship; no other live listing has the product or the item',
      emits: ['dropship_listing.created'],
    }),
    move('pause', LIVE, 'paused', 'seller', { emits: ['dropship_listing.paused'] }),
    move('resume', LIVE, LIVE, 'seller', {
      guard: 'stays paused while another reason holds',
      emits: ['dropship_listing.resumed'],
    }),
    move('mirror', LIVE, LIVE, 'timer', {
      guard: 'a reason of the supplier or of its count comes or goes',
      emits: ['dropship_listing.paused', 'dropship_listing.resumed'],
    }),
    move('end', LIVE, 'ended', 'seller', {
      guard: 'no units of orders are with the supplier',
      emits: ['dropship_listing.ended'],
    }),
  ],
});
