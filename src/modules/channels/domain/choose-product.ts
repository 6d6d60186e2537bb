/** Which product a variant is: the first rule that says something decides. Source: docs/design/channels.md#products. */
import type { IdentityCandidate } from '../../products/domain/identity/evidence.ts';
import type { LinkedBy } from './link-words.ts';

interface CatalogueMatch {
  readonly product_id: string | null;
  readonly matched_by: string | null;
  readonly candidates: readonly IdentityCandidate[];
}

/** The link that has a product already. */
interface Holder {
  readonly external_variant_id: string;
  readonly state: string;
}

export type Choice =
  | {
      readonly kind: 'product';
      readonly product_id: string;
      readonly by: LinkedBy;
      readonly matched_by: string;
    }
  | { readonly kind: 'create' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'conflict'; readonly candidates: readonly IdentityCandidate[] };

interface Known {
  readonly external_variant_id: string;
  readonly match: CatalogueMatch;
  /** The link of this channel that has the matched product. */
  readonly holder: Holder | undefined;
  /** Whether variants that are no product yet become products. */
  readonly creates: boolean;
  /** A member has said that it is a new product. */
  readonly asNew: boolean;
}

/** Whether another variant of the store is a product. A link that is gone gives its product away. */
export const isTaken = (holder: Holder | undefined, external_variant_id: string): boolean =>
  holder !== undefined && holder.state !== 'gone' && holder.external_variant_id !== external_variant_id;

/** For a variant without a product. */
export function chooseProduct({ external_variant_id, match, holder, creates, asNew }: Known): Choice {
  if (asNew) return { kind: 'create' };
  const { product_id, matched_by, candidates } = match;
  if (product_id !== null) {
    if (isTaken(holder, external_variant_id))
      return { kind: 'conflict', candidates: [{ product_id, seller_sku: null, reason: 'product_id' }] };
    const by = matched_by === 'external_key' ? 'import' : 'identity';
    return { kind: 'product', product_id, by, matched_by: matched_by ?? 'product_id' };
  }
  if (candidates.length > 0) return { kind: 'conflict', candidates };
  return { kind: creates ? 'create' : 'leave' };
}
