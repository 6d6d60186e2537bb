/** Finds the products that variants of a connected store may be. Source: docs/design/channels.md#products. */
import type { SellerDb } from '../../../../platform/db/table.ts';
import type { IdentityCandidate, MatchReason } from '../../domain/identity/evidence.ts';
import { lookupKeys } from '../../domain/match-row.ts';
import type { StoredProduct } from '../../domain/product.ts';
import type { FeedRow } from '../../domain/row.ts';
import { loadByExternalKeys, loadByGtins, loadByMpnBrand, loadBySkus } from '../../store/load-products.ts';
import { STORE_PROFILE } from './read-store-rows.ts';

/** What the catalogue has for a variant without a link. */
export interface StoreMatch {
  /** The product; null: none, or several may be meant. */
  readonly product_id: string | null;
  readonly matched_by: MatchReason | null;
  /** The product that has the key of the variant in the store's export. */
  readonly key_holder: string | null;
  /** Products that the seller must choose from, if the identities contradict each other. */
  readonly candidates: readonly IdentityCandidate[];
}

const CANDIDATES_MAX = 10;
const NONE: StoreMatch = { product_id: null, matched_by: null, key_holder: null, candidates: [] };

type Found = IdentityCandidate & { readonly product: StoredProduct };
const foundBy = (reason: MatchReason, products: readonly StoredProduct[] = []): Found[] =>
  products.map((product) => {
    const { product_id, seller_sku } = product;
    return { product_id, seller_sku, reason, product };
  });

/**
 * Whether a product with the SKU or the code of a variant has another SKU or code, or without a common code another key
 * in files of the store.
 */
function contradicts(product: StoredProduct, keys: ReturnType<typeof lookupKeys>): boolean {
  const differ = (one: string | null | undefined, other: string | null | undefined): boolean =>
    one != null && other != null && one !== other;
  const code = product.identity?.gtin14;
  if (differ(product.seller_sku, keys.seller_sku) || differ(code, keys.gtin14)) return true;
  const sameCode = code != null && code === keys.gtin14;
  const { external_profile, external_key } = product;
  return !sameCode && external_profile === STORE_PROFILE && differ(external_key, keys.external_key);
}

/**
 * Finds by the key of an earlier import; otherwise by SKU and identity, where one product must be meant without doubt.
 *
 * @param takenOf the products that are variants elsewhere: their key is a coincidence
 */
export async function findStoreProducts(
  at: SellerDb,
  rows: readonly FeedRow[],
  takenOf: (productIds: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<(row: FeedRow) => StoreMatch> {
  const keys = new Map(rows.map((row) => [row, lookupKeys(row.patch ?? {})]));
  const all = [...keys.values()];
  const present = (texts: readonly (string | null)[]): string[] =>
    [...new Set(texts.filter((text) => text !== null && text !== ''))] as string[];
  const imports = await loadByExternalKeys(
    at,
    STORE_PROFILE,
    present(all.map(({ external_key }) => external_key)),
  );
  const taken = await takenOf(imports.map(({ product_id }) => product_id));
  const byKey = Map.groupBy(imports, ({ external_key }) => external_key);
  const bySku = Map.groupBy(
    await loadBySkus(at, present(all.map(({ seller_sku }) => seller_sku))),
    ({ seller_sku }) => seller_sku,
  );
  const byGtin = Map.groupBy(
    await loadByGtins(at, present(all.map(({ gtin14 }) => gtin14))),
    ({ identity }) => identity?.gtin14,
  );
  const pairs = all.flatMap(({ mpn_folded: mpn, brand_folded: brand }) =>
    mpn === null || brand === null ? [] : [{ mpn, brand }],
  );
  const byPair = Map.groupBy(await loadByMpnBrand(at, pairs), ({ identity }) =>
    JSON.stringify([identity?.mpn_folded, identity?.brand_folded]),
  );
  return (row) => {
    const named = keys.get(row) ?? lookupKeys(row.patch ?? {});
    const [imported] = named.external_key === null ? [] : (byKey.get(named.external_key) ?? []);
    const key_holder = imported?.product_id ?? null;
    if (key_holder !== null && !taken.has(key_holder))
      return { product_id: key_holder, matched_by: 'external_key', key_holder, candidates: [] };
    const found = [
      ...(named.seller_sku === null ? [] : foundBy('seller_sku', bySku.get(named.seller_sku))),
      ...(named.gtin14 === null ? [] : foundBy('exact_gtin', byGtin.get(named.gtin14))),
      ...foundBy('mpn_brand_folded', byPair.get(JSON.stringify([named.mpn_folded, named.brand_folded]))),
    ];
    const products = new Map(found.toReversed().map((one) => [one.product_id, one]));
    const [first] = found;
    if (first === undefined) return { ...NONE, key_holder };
    if (products.size === 1 && !contradicts(first.product, named))
      return { product_id: first.product_id, matched_by: first.reason, key_holder, candidates: [] };
    const candidates = [...products.values()].map(({ product: _, ...candidate }) => candidate);
    return { ...NONE, key_holder, candidates: candidates.toReversed().slice(0, CANDIDATES_MAX) };
  };
}
