/**
 * Which product a row means. The SKU is the seller's own name for it and comes first; the service's id and the
 * key of the file it came from follow. A shared code or MPN never makes a match, it is only shown.
 */
import { parseGtin } from '../../../kernel/gtin.ts';
import { productIdInKey } from './export/store-group.ts';
import type { IdentityCandidate, MatchReason, RowMatch } from './identity/evidence.ts';
import { foldBrand, foldMpn } from './identity/fold.ts';
import type { CatalogueProduct } from './product.ts';
import type { ProductPatch } from './row.ts';

/** What to look up for a row; collected over a batch, one query each. */
export interface LookupKeys {
  readonly seller_sku: string | null;
  readonly product_id: string | null;
  readonly external_key: string | null;
  readonly gtin14: string | null;
  /** Both or neither. */
  readonly mpn_folded: string | null;
  readonly brand_folded: string | null;
}

/** The products of the seller that were found under such keys; `undefined` or an empty list for none. */
export interface FoundProducts {
  bySku(seller_sku: string): CatalogueProduct | undefined;
  byProductId(product_id: string): CatalogueProduct | undefined;
  byExternalKey(external_key: string): CatalogueProduct | undefined;
  byGtin(gtin14: string): readonly CatalogueProduct[];
  byMpnBrand(mpn_folded: string, brand_folded: string): readonly CatalogueProduct[];
}

export interface MatchedRow {
  readonly existing: CatalogueProduct | null;
  readonly match: RowMatch;
}

/** More candidates than this explain nothing more. */
const CANDIDATES_MAX = 10;

/** The keys under which a row's product, and products like it, may be found. */
export function lookupKeys(patch: ProductPatch): LookupKeys {
  const { identity, identity_parts: parts } = patch;
  const code = identity?.strategy === 'global_id' ? identity.value : parts?.global_id;
  const read = code === undefined || code === '' ? null : parseGtin(code);
  const mpn = identity?.mpn ?? parts?.mpn ?? '';
  const brand = identity?.brand ?? patch.brand ?? '';
  const pair = mpn !== '' && brand !== '';
  return {
    seller_sku: patch.seller_sku ?? null,
    product_id: productIdOf(patch) ?? productIdInKey(patch.external_key),
    external_key: patch.external_key ?? null,
    gtin14: read?.ok === true ? read.gtin14 : null,
    mpn_folded: pair ? foldMpn(mpn) : null,
    brand_folded: pair ? foldBrand(brand) : null,
  };
}

/**
 * Chooses the product that the row means.
 *
 * @param target set when the request names the product by its path; it is then the one, whatever the body says
 */
export function matchRow(
  keys: LookupKeys,
  found: FoundProducts,
  target: CatalogueProduct | null = null,
): MatchedRow {
  const bySku = keys.seller_sku === null ? undefined : found.bySku(keys.seller_sku);
  const byId = keys.product_id === null ? undefined : found.byProductId(keys.product_id);
  const byKey = keys.external_key === null ? undefined : found.byExternalKey(keys.external_key);
  // With a SKU an id names the product only while it has none: otherwise it says what the product is.
  const named =
    byId !== undefined && (keys.seller_sku === null || byId.seller_sku === null) ? byId : undefined;
  const existing = target ?? bySku ?? named ?? byKey ?? null;
  const candidates: IdentityCandidate[] = [];
  const add = (product: CatalogueProduct | undefined, reason: MatchReason) => {
    if (product === undefined || candidates.length >= CANDIDATES_MAX) return;
    candidates.push({ product_id: product.product_id, seller_sku: product.seller_sku, reason });
  };
  add(bySku, 'seller_sku');
  add(byId, 'product_id');
  add(byKey, 'external_key');
  if (keys.gtin14 !== null) for (const product of found.byGtin(keys.gtin14)) add(product, 'exact_gtin');
  if (keys.mpn_folded !== null && keys.brand_folded !== null) {
    const same = found.byMpnBrand(keys.mpn_folded, keys.brand_folded);
    for (const product of same) add(product, 'mpn_brand_folded');
  }
  const first = candidates.find(({ product_id }) => product_id === existing?.product_id);
  const matched_by = existing === null ? null : (first?.reason ?? 'product_id');
  return { existing, match: { matched_by, candidates, product_visible: byId !== undefined } };
}

function productIdOf({ identity, identity_parts: parts }: ProductPatch): string | null {
  const value = identity?.strategy === 'product_id' ? identity.value : parts?.product_id;
  return value === undefined || value === '' ? null : value;
}
