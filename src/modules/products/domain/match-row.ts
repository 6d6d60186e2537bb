/**
 * Finds the product of a row. Requests and native feeds name it by the seller's SKU, else by the service's id. In an
 * import the file's own key comes first, because stores repeat SKUs. Products that share a code or an MPN with the row
 * are only listed as candidates.
 * Source: docs/design/feeds-and-imports.md#matching.
 */
import { parseGtin } from '../../../kernel/gtin.ts';
import { productIdInKey } from './export/store-group.ts';
import type { IdentityCandidate, MatchReason, RowMatch } from './identity/evidence.ts';
import { foldBrand, foldMpn } from './identity/fold.ts';
import type { CatalogueProduct } from './product.ts';
import type { ProductPatch } from './row.ts';

/** The keys that name the product of a row. */
export interface NamedKeys {
  readonly seller_sku: string | null;
  readonly product_id: string | null;
  readonly external_key: string | null;
  /** Keys that the product may have from an earlier file, when it had no SKU there. */
  readonly former_keys: readonly string[];
  /** What shows that a product with the same SKU is another listing. */
  readonly listing: Pick<ProductPatch, 'title' | 'images' | 'attributes' | 'identity'>;
}

/** The keys that name the product, and those that other products of the seller may share. */
interface LookupKeys extends NamedKeys {
  readonly gtin14: string | null;
  /** `mpn_folded` and `brand_folded` are both set or both `null`. */
  readonly mpn_folded: string | null;
  readonly brand_folded: string | null;
}

export interface NamedProducts {
  bySku(sellerSku: string): CatalogueProduct | undefined;
  byProductId(productId: string): CatalogueProduct | undefined;
  byExternalKey(externalKey: string): CatalogueProduct | undefined;
}

export interface FoundProducts extends NamedProducts {
  byGtin(gtin14: string): readonly CatalogueProduct[];
  byMpnBrand(mpnFolded: string, brandFolded: string): readonly CatalogueProduct[];
}

export interface MatchedRow {
  readonly existing: CatalogueProduct | null;
  readonly match: RowMatch;
  /** Whether a variant of the product that the row's key names has its SKU. */
  readonly ofVariant?: boolean;
}

const CANDIDATES_MAX = 10;

export function namedKeys(patch: ProductPatch, former_keys: readonly string[] = []): NamedKeys {
  return {
    seller_sku: patch.seller_sku ?? null,
    product_id: productIdOf(patch) ?? productIdInKey(patch.external_key),
    external_key: patch.external_key ?? null,
    former_keys,
    listing: patch,
  };
}

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

/** The reason is that of the first candidate that is the product. Without one, the path of the request named it. */
function matchOf(
  existing: CatalogueProduct | null,
  candidates: readonly IdentityCandidate[],
  productVisible: boolean,
): RowMatch {
  const first = candidates.find(({ product_id }) => product_id === existing?.product_id);
  const matched_by = existing && (first?.reason ?? 'product_id');
  return { matched_by, candidates, product_visible: productVisible };
}

interface MatchOptions {
  /** The product that the path of the request names; it takes precedence over the body. */
  readonly target?: CatalogueProduct | null;
  /** The import profile of the file; `null` for requests and native feeds. */
  readonly profile?: string | null;
}

export function matchNamed(
  keys: NamedKeys,
  found: NamedProducts,
  { target = null, profile = null }: MatchOptions = {},
): MatchedRow {
  const bySku = keys.seller_sku === null ? undefined : found.bySku(keys.seller_sku);
  const byId = keys.product_id === null ? undefined : found.byProductId(keys.product_id);
  const byKey = keys.external_key === null ? undefined : found.byExternalKey(keys.external_key);
  const isOther = (product: CatalogueProduct) =>
    (isOnlySku(keys) || (product === bySku && product !== byKey && product !== byId)) &&
    isOtherListing(product, keys, profile);
  // If the row has a SKU, its product id is an identity; only a product without a SKU can still be meant by its id.
  const named =
    byId !== undefined && (keys.seller_sku === null || byId.seller_sku === null) ? byId : undefined;
  const byFormer = bySku === undefined ? withoutSku(keys, found) : undefined;
  const byFile = byKey ?? byId ?? (mayMean(bySku, keys, profile) ? bySku : byFormer);
  const imported = byFile === undefined || isOther(byFile) ? undefined : byFile;
  const existing = target ?? (profile === null ? (bySku ?? named) : imported) ?? null;
  const candidates = [
    ...candidate(byKey ?? (byFile === byFormer ? byFormer : undefined), 'external_key'),
    ...candidate(bySku, 'seller_sku'),
    ...candidate(byId, 'product_id'),
  ];
  if (existing === null && candidates.length === 0) return NO_PRODUCT;
  const ofVariant =
    bySku?.external_profile === profile && bySku?.external_key?.startsWith(`${keys.external_key}#`) === true;
  return { existing, match: matchOf(existing, candidates, byId !== undefined), ofVariant };
}

/** The product that an earlier file has given a key of the row, when it had no SKU; the row is about to give it one. */
const withoutSku = ({ seller_sku, former_keys }: NamedKeys, found: NamedProducts) =>
  seller_sku === null
    ? undefined
    : former_keys
        .map((key) => found.byExternalKey(key))
        .find((product) => product?.seller_sku === null && product.status !== 'archived');

/** Whether a file has no other key for a product than its SKU. */
export const isOnlySku = (named: {
  readonly external_key?: string | null;
  readonly seller_sku?: string | null;
}): boolean => named.external_key == null || named.external_key === named.seller_sku;

/** Whether a product has another global id than a row, and another title: the seller has used the SKU twice. */
function hasOtherCode({ identity, title }: CatalogueProduct, { listing }: NamedKeys): boolean {
  if (identity?.strategy !== 'global_id' || listing.identity?.strategy !== 'global_id') return false;
  const stated = parseGtin(listing.identity.value ?? '');
  const renamed = listing.title !== undefined && listing.title !== title;
  return renamed && stated.ok && stated.gtin14 !== identity.gtin14;
}

/**
 * Whether the SKU may name a product: never one that has another key from files of the same profile, nor another
 * global id and title. Keys of two profiles cannot be compared, so there the SKU counts if one of the keys is only the
 * SKU.
 */
function mayMean(bySku: CatalogueProduct | undefined, keys: NamedKeys, profile: string | null): boolean {
  if (bySku === undefined) return false;
  const { external_key, external_profile } = bySku;
  if (external_key !== null && keys.former_keys.includes(external_key)) return true;
  if (hasOtherCode(bySku, keys)) return false;
  if (external_key === null) return true;
  return external_profile !== profile && (isOnlySku(bySku) || isOnlySku(keys));
}

/** The attributes with the number that a platform gives a listing, or a product of its own. */
const LISTING_NUMBERS = ['asin', 'ebay_item_number'] as const;

/**
 * Whether a product is visibly another listing than a row with its SKU: a platform numbers the two differently; or,
 * without numbers, both the title and all pictures differ from those that the last import of the same profile gave the
 * product. Sellers rename listings and replace pictures, but seldom both at once.
 */
function isOtherListing(product: CatalogueProduct, { listing }: NamedKeys, profile: string | null): boolean {
  const { attributes = {}, title, images = [] } = listing;
  for (const name of LISTING_NUMBERS) {
    const [stated, known] = [attributes[name], product.attributes[name]];
    if (stated && known) return stated !== known;
  }
  if (product.external_profile !== profile) return false;
  const urls = new Set(images.map(({ url }) => url));
  return (
    product.source_origin === 'profile_import' &&
    title !== undefined &&
    title !== product.title &&
    urls.size > 0 &&
    product.images.length > 0 &&
    !product.images.some(({ url }) => urls.has(url))
  );
}

/** As {@link matchNamed}, with products that share a code or MPN and brand among the candidates. */
export function matchRow(keys: LookupKeys, found: FoundProducts, options: MatchOptions = {}): MatchedRow {
  const { existing, match } = matchNamed(keys, found, options);
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
