/** Who acts next where a product is incomplete, blocked or in review on a channel. */
import { contactMarketplace, DONE, sellerCalls, sellerOpens, type Waiting } from '../../../kernel/waiting.ts';
import type { ListingState } from '../domain/listing-state.ts';

interface Place {
  readonly product_id: string;
  readonly curation_state: string;
  /** The issue that waits for a person, if the state is `conflict`. */
  readonly issue_id: string | undefined;
}

const BASE = '/api/v1';
const opensProduct =
  (text: string) =>
  ({ product_id }: Place): Waiting =>
    sellerOpens(`${BASE}/products/${product_id}`, text);
const openBlocked = opensProduct('Read why buyers do not see the product, and complete it.');

/** In all other states nothing is left to do, or the seller has chosen so. */
const WAITS: Partial<Record<ListingState, (place: Place) => Waiting>> = {
  draft: opensProduct('Complete the product, and put it on sale.'),
  blocked: (place) =>
    place.curation_state === 'suspended'
      ? contactMarketplace('The marketplace has suspended the product; only it can release it.')
      : openBlocked(place),
  in_review: () => contactMarketplace('The marketplace reviews the product.'),
  conflict: ({ issue_id = '' }) =>
    sellerOpens(`${BASE}/channels/issues/${issue_id}`, 'Decide whose values count.'),
  disconnected: () => sellerCalls(`${BASE}/channels`, 'Connect the store again.'),
};

export const listingWaiting = (state: ListingState, place: Place): Waiting => WAITS[state]?.(place) ?? DONE;
