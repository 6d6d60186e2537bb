/** Finds the product of each row of a batch, with one query for each kind of key. */
import type { SellerDb } from '../../../../platform/db/table.ts';
import { NO_MATCH, type RowMatch } from '../../domain/identity/evidence.ts';
import { matchNamed, type NamedKeys, type NamedProducts, namedKeys } from '../../domain/match-row.ts';
import type { StoredProduct } from '../../domain/product.ts';
import type { FeedRow } from '../../domain/row.ts';
import { loadByExternalKeys, loadByIds, loadBySkus, lockProducts } from '../../store/load-products.ts';

export interface Found {
  readonly existing: StoredProduct | null;
  readonly match: RowMatch;
}

/** Locks products, and reloads those that have changed since they were read. */
async function lockLoaded(
  at: SellerDb,
  products: readonly StoredProduct[],
): Promise<readonly StoredProduct[]> {
  const versions = await lockProducts(
    at,
    products.map(({ product_id }) => product_id),
  );
  const stale = products.filter(({ product_id, version }) => versions.get(product_id) !== version);
  if (stale.length === 0) return products;
  const reloaded = new Map(
    (
      await loadByIds(
        at,
        stale.map(({ product_id }) => product_id),
      )
    ).map((product) => [product.product_id, product]),
  );
  return products.flatMap((product) =>
    versions.has(product.product_id) ? [reloaded.get(product.product_id) ?? product] : [],
  );
}

const distinct = (
  keys: readonly NamedKeys[],
  name: 'seller_sku' | 'product_id' | 'external_key',
): string[] => [
  ...new Set(keys.map((key) => key[name]).filter((text): text is string => text !== null && text !== '')),
];

async function loadNamed(
  at: SellerDb,
  keys: readonly NamedKeys[],
  profile: string | null,
): Promise<StoredProduct[]> {
  const bySku = await loadBySkus(at, distinct(keys, 'seller_sku'));
  const byId = await loadByIds(at, distinct(keys, 'product_id'));
  const byKey = profile === null ? [] : await loadByExternalKeys(at, profile, distinct(keys, 'external_key'));
  return [...new Map([...bySku, ...byId, ...byKey].map((product) => [product.product_id, product])).values()];
}

/**
 * Finds the products that the rows of a batch name.
 *
 * @param lock locks the products until the transaction ends, for a run that writes
 */
export async function findExisting(
  at: SellerDb,
  rows: readonly FeedRow[],
  profile: string | null,
  lock: boolean,
): Promise<(row: FeedRow) => Found> {
  const keys = rows.flatMap(({ patch }) => (patch === null ? [] : [namedKeys(patch)]));
  const named = await loadNamed(at, keys, profile);
  const products = lock ? await lockLoaded(at, named) : named;
  const bySku = new Map(products.map((product) => [product.seller_sku, product]));
  const byId = new Map(products.map((product) => [product.product_id, product]));
  const byKey = new Map(
    products
      .filter(({ external_profile }) => external_profile === profile)
      .map((product) => [product.external_key, product]),
  );
  const found: NamedProducts = {
    bySku: (sku) => bySku.get(sku),
    byProductId: (id) => byId.get(id),
    byExternalKey: (key) => byKey.get(key),
  };
  return (row) => {
    if (row.patch === null) return { existing: null, match: NO_MATCH };
    const { existing, match } = matchNamed(namedKeys(row.patch, row.former_keys), found, { profile });
    return { existing: existing === null ? null : (byId.get(existing.product_id) ?? null), match };
  };
}
