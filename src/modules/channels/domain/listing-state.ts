/** Where a product stands on a channel. Source: docs/design/channels.md#listings. */

import type { CatalogueProduct } from '../../products/domain/product.ts';
import { hiddenReasons, liveContent, quantityAvailable } from '../../products/domain/visibility.ts';
import { compareLink } from './compare-link.ts';
import type { FieldTexts, LinkState, MergedFieldName } from './link-words.ts';

export const LISTING_STATES = [
  ...(['draft', 'blocked', 'in_review', 'out_of_stock', 'visible', 'inactive'] as const),
  ...(['not_listed', 'in_step', 'differs', 'conflict', 'paused', 'gone', 'disconnected'] as const),
] as const;
export type ListingState = (typeof LISTING_STATES)[number];

interface Listing {
  readonly state: ListingState;
  /** The fields that differ from the store, or that wait for a person. */
  readonly fields: readonly MergedFieldName[];
}

/** On the marketplace itself. */
export function marketplaceState(product: CatalogueProduct): ListingState {
  const { status, curation_state } = product;
  if (status === 'draft') return 'draft';
  if (status !== 'active') return 'inactive';
  const live = liveContent(product) !== null;
  if (!live) return curation_state === 'pending' ? 'in_review' : 'blocked';
  if (hiddenReasons(product, false).length > 0) return 'blocked';
  return quantityAvailable(product) === 0 ? 'out_of_stock' : 'visible';
}

interface OfStore {
  readonly ended: boolean;
  readonly paused: boolean;
  readonly link: { readonly state: LinkState; readonly base: FieldTexts } | undefined;
  /** The store's values of fields that wait for a person; undefined: none does. */
  readonly waiting: FieldTexts | undefined;
}

export function storeListing(product: CatalogueProduct, { ended, paused, link, waiting }: OfStore): Listing {
  const only = (state: ListingState): Listing => ({ state, fields: [] });
  if (link === undefined || link.state === 'unlinked') return only('not_listed');
  if (ended) return only('disconnected');
  if (link.state === 'gone') return only('gone');
  if (paused || link.state === 'ignored') return only('paused');
  if (waiting !== undefined) return { state: 'conflict', fields: Object.keys(waiting) as MergedFieldName[] };
  const fields = compareLink(product, link.base)
    .filter(({ in_step }) => !in_step)
    .map(({ field }) => field);
  return { state: fields.length > 0 ? 'differs' : 'in_step', fields };
}
