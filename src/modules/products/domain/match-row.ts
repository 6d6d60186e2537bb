/**
 * Finds the product of a row: by the seller's SKU, else by the service's id, else by the key of its file. A shared
 * code or MPN is never a match; it is only shown.
 */
import { parseGtin } from '../../../kernel/gtin.ts';
import { productIdInKey } from './export/store-group.ts';
import type { IdentityCandidate, MatchReason, RowMatch } from './identity/evidence.ts';
import { foldBrand, foldMpn } from './identity/fold.ts';
import type { CatalogueProduct } from './product.ts';
import type { ProductPatch } from './row.ts';

/** The names of a row's product. */
export interface NamedKeys {
  readonly seller_sku: string | null;
  readonly product_id: string | null;
  readonly external_key: string | null;
}

/** The names, and what other products of the seller may share. */
export interface LookupKeys extends NamedKeys {
  readonly gtin14: string | null;
  /** Both or neither. */
  readonly mpn_folded: string | null;
  readonly brand_folded: string | null;
}

export interface NamedProducts {
  bySku(seller_sku: string): CatalogueProduct | undefined;
  byProductId(product_id: string): CatalogueProduct | undefined;
  byExternalKey(external_key: string): CatalogueProduct | undefined;
}

export interface FoundProducts extends NamedProducts {
  byGtin(gtin14: string): readonly CatalogueProduct[];
  byMpnBrand(mpn_folded: string, brand_folded: string): readonly CatalogueProduct[];
}

export interface MatchedRow {
  readonly existing: CatalogueProduct | null;
  readonly match: RowMatch;
}

const CANDIDATES_MAX = 10;

/** The keys under which a row's product may be found. */
export function namedKeys(patch: ProductPatch): NamedKeys {
  return {
    seller_sku: patch.seller_sku ?? null,
    product_id: productIdOf(patch) ?? productIdInKey(patch.external_key),
    external_key: patch.external_key ?? null,
  };
}

/** The keys under which a row's product, and products like it, may be found. */
export function lookupKeys(patch: ProductPatch): LookupKeys {
  const { identity, identity_parts: parts } = patch;
  const code = identity?.strategy === 'global_id' ? identity.value : parts?.global_id;
  const read = code === undefined || code === '' ? null : parseGtin(code);
  const mpn = identity?.mpn ?? parts?.mpn ?? '';
  const brand = identity?.brand ?? patch.brand ?? '';
  const pair = mpn !== '' && brand !== '';
  return {
    ...namedKeys(patch),
    gtin14: read?.ok === true ? read.gtin14 : null,
    mpn_folded: pair ? foldMpn(mpn) : null,
    brand_folded: pair ? foldBrand(brand) : null,
  };
}

const NO_PRODUCT: MatchedRow = {
  existing: null,
  match: { matched_by: null, candidates: [], product_visible: false },
};

const candidate = (product: CatalogueProduct | undefined, reason: MatchReason): IdentityCandidate[] =>
  product === undefined ? [] : [{ product_id: product.product_id, seller_sku: product.seller_sku, reason }];

/** The reason is that of the first matching candidate; the path of a request names the product by its id. */
function matchOf(
  existing: CatalogueProduct | null,
  candidates: readonly IdentityCandidate[],
  product_visible: boolean,
): RowMatch {
  const first = candidates.find(({ product_id }) => product_id === existing?.product_id);
  return { matched_by: existing && (first?.reason ?? 'product_id'), candidates, product_visible };
}

/**
 * Chooses the product that the row names.
 *
 * @param target the product that the path of the request names; it takes precedence over the body
 */
export function matchNamed(
  keys: NamedKeys,
  found: NamedProducts,
  target: CatalogueProduct | null = null,
): MatchedRow {
  const bySku = keys.seller_sku === null ? undefined : found.bySku(keys.seller_sku);
  const byId = keys.product_id === null ? undefined : found.byProductId(keys.product_id);
  const byKey = keys.external_key === null ? undefined : found.byExternalKey(keys.external_key);
  // Beside a SKU, an id names the product only while the product has no SKU; else it is the product's identity.
  const named =
    byId !== undefined && (keys.seller_sku === null || byId.seller_sku === null) ? byId : undefined;
  const existing = target ?? bySku ?? named ?? byKey ?? null;
  const candidates = [
    ...candidate(bySku, 'seller_sku'),
    ...candidate(byId, 'product_id'),
    ...candidate(byKey, 'external_key'),
  ];
  if (existing === null && candidates.length === 0) return NO_PRODUCT;
  return { existing, match: matchOf(existing, candidates, byId !== undefined) };
}

/** As {@link matchNamed}; the candidates include products that share a code or MPN and brand. */
export function matchRow(
  keys: LookupKeys,
  found: FoundProducts,
  target: CatalogueProduct | null = null,
): MatchedRow {
  const { existing, match } = matchNamed(keys, found, target);
  const { gtin14, mpn_folded, brand_folded } = keys;
  const pair = mpn_folded !== null && brand_folded !== null;
  const candidates = [
    ...match.candidates,
    ...(gtin14 === null ? [] : found.byGtin(gtin14)).flatMap((one) => candidate(one, 'exact_gtin')),
    ...(pair ? found.byMpnBrand(mpn_folded, brand_folded) : []).flatMap((one) =>
      candidate(one, 'mpn_brand_folded'),
    ),
  ];
  return {
    existing,
    match: matchOf(existing, candidates.slice(0, CANDIDATES_MAX), match.product_visible === true),
  };
}

function productIdOf({ identity, identity_parts: parts }: ProductPatch): string | null {
  const value = identity?.strategy === 'product_id' ? identity.value : parts?.product_id;
  return value === undefined || value === '' ? null : value;
}
