/** Finds the product of each row of a batch, with a fixed number of queries. */
import type { SellerDb } from '../../../../platform/db/table.ts';
import { NO_MATCH } from '../../domain/identity/evidence.ts';
import {
  type MatchedRow,
  matchNamed,
  type NamedKeys,
  type NamedProducts,
  namedKeys,
} from '../../domain/match-row.ts';
import type { StoredProduct } from '../../domain/product.ts';
import type { FeedRow } from '../../domain/row.ts';
import {
  loadByExternalKeys,
  loadByIds,
  loadBySkus,
  lockProducts,
  type Names,
} from '../../store/load-products.ts';

export interface Found extends MatchedRow {
  readonly existing: StoredProduct | null;
}

const distinct = (
  keys: readonly NamedKeys[],
  name: 'seller_sku' | 'product_id' | 'external_key',
): string[] => [
  ...new Set(keys.map((key) => key[name]).filter((text): text is string => text !== null && text !== '')),
];

type Lookup = Required<Pick<Names, 'ids' | 'skus'>> & Pick<Names, 'external'>;

function namesOf(keys: readonly NamedKeys[], profile: string | null): Lookup {
  const former = keys.flatMap(({ former_keys }) => former_keys);
  const external =
    profile === null
      ? undefined
      : { profile, keys: [...new Set([...distinct(keys, 'external_key'), ...former])] };
  return { ids: distinct(keys, 'product_id'), skus: distinct(keys, 'seller_sku'), external };
}

async function loadNamed(at: SellerDb, { ids, skus, external }: Lookup): Promise<StoredProduct[]> {
  const bySku = await loadBySkus(at, skus);
  const byId = await loadByIds(at, ids);
  const byKey = external === undefined ? [] : await loadByExternalKeys(at, external.profile, external.keys);
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
  const keys = rows.flatMap(({ patch, former_keys }) =>
    patch === null ? [] : [namedKeys(patch, former_keys)],
  );
  const names = namesOf(keys, profile);
  const products = lock ? await loadByIds(at, await lockProducts(at, names)) : await loadNamed(at, names);
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
    const matched = matchNamed(namedKeys(row.patch, row.former_keys), found, { profile });
    const { existing } = matched;
    return { ...matched, existing: existing === null ? null : (byId.get(existing.product_id) ?? null) };
  };
}
