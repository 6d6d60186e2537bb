/** Finds the product of each row of a batch, with one query for each kind of key. */
import type { Db } from '../../../../kernel/context.ts';
import { NO_MATCH, type RowMatch } from '../../domain/identity/evidence.ts';
import { matchNamed, type NamedKeys, type NamedProducts, namedKeys } from '../../domain/match-row.ts';
import type { StoredProduct } from '../../domain/product.ts';
import type { FeedRow } from '../../domain/row.ts';
import { loadByExternalKeys, loadByIds, loadBySkus, lockProducts } from '../../store/load-products.ts';

export interface Found {
  readonly existing: StoredProduct | null;
  readonly match: RowMatch;
}

/** Locks products, and reads those again that have changed since they were read. */
async function hold(db: Db, products: readonly StoredProduct[]): Promise<readonly StoredProduct[]> {
  const versions = await lockProducts(
    db,
    products.map(({ product_id }) => product_id),
  );
  const moved = products.filter(({ product_id, version }) => versions.get(product_id) !== version);
  if (moved.length === 0) return products;
  const again = new Map(
    (
      await loadByIds(
        db,
        moved.map(({ product_id }) => product_id),
      )
    ).map((product) => [product.product_id, product]),
  );
  return products.flatMap((product) =>
    versions.has(product.product_id) ? [again.get(product.product_id) ?? product] : [],
  );
}

const distinct = (
  keys: readonly NamedKeys[],
  name: 'seller_sku' | 'product_id' | 'external_key',
): string[] => [
  ...new Set(keys.map((key) => key[name]).filter((text): text is string => text !== null && text !== '')),
];

async function loadNamed(
  db: Db,
  keys: readonly NamedKeys[],
  profile: string | null,
): Promise<StoredProduct[]> {
  const bySku = await loadBySkus(db, distinct(keys, 'seller_sku'));
  const byId = await loadByIds(db, distinct(keys, 'product_id'));
  const byKey = profile === null ? [] : await loadByExternalKeys(db, profile, distinct(keys, 'external_key'));
  return [...new Map([...bySku, ...byId, ...byKey].map((product) => [product.product_id, product])).values()];
}

/**
 * Finds the products that the rows of a batch name.
 *
 * @param lock hold the products until the transaction ends, for a run that writes
 */
export async function findExisting(
  db: Db,
  rows: readonly FeedRow[],
  profile: string | null,
  lock: boolean,
): Promise<(row: FeedRow) => Found> {
  const keysOf = new Map(
    rows.flatMap((row) => (row.patch === null ? [] : [[row, namedKeys(row.patch)] as const])),
  );
  const named = await loadNamed(db, [...keysOf.values()], profile);
  const products = lock ? await hold(db, named) : named;
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
    const keys = keysOf.get(row);
    if (keys === undefined) return { existing: null, match: NO_MATCH };
    const { existing, match } = matchNamed(keys, found);
    return { existing: existing === null ? null : (byId.get(existing.product_id) ?? null), match };
  };
}
