import type { LinkState } from './link-words.ts';
import type { StoreProduct } from './store-product.ts';

interface KnownVariant {
  readonly external_variant_id: string;
  readonly state: LinkState;
  readonly content_sha256: string;
}

/**
 * Whether a product of a store is other than what was applied last.
 *
 * @param links those of the product
 * @param digest of the product's content
 */
export function differs(product: StoreProduct, links: readonly KnownVariant[], digest: string): boolean {
  // The marketplace sells none.
  if (product.gift_card) return false;
  const known = new Set(links.map(({ external_variant_id: id }) => id));
  const present = new Set(product.variants.map(({ external_variant_id: id }) => id));
  if ([...present].some((id) => !known.has(id))) return true;
  return links.some(({ state, external_variant_id: id, content_sha256 }) => {
    if (state === 'ignored') return false;
    if (!present.has(id)) return state === 'linked';
    return state === 'gone' || content_sha256 !== digest;
  });
}
