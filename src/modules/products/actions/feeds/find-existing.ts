/** Which product of the catalogue each row of a batch names: by SKU, else by the key of the file it came from. */
import type { Db } from '../../../../kernel/context.ts';
import { type IdentityCandidate, NO_MATCH, type RowMatch } from '../../domain/identity/evidence.ts';
import type { FeedRow } from '../../domain/row.ts';
import { loadByExternalKeys, loadByIds, loadBySkus, lockProducts } from '../../store/load-products.ts';
import type { StoredProduct } from '../../store/product-columns.ts';

export interface Found {
  readonly existing: StoredProduct | null;
  readonly match: RowMatch;
}

const textsOf = (rows: readonly FeedRow[], pick: (row: FeedRow) => string | null | undefined): string[] => [
  ...new Set(rows.map(pick).filter((text): text is string => typeof text === 'string' && text !== '')),
];

const claimedId = ({ patch }: FeedRow): string | undefined =>
  patch?.identity?.strategy === 'product_id' ? patch.identity.value : patch?.identity_parts?.product_id;

/** Products as they are after their rows are held: what moved in between is read again. */
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

const candidate = (product: StoredProduct, reason: IdentityCandidate['reason']): IdentityCandidate => ({
  product_id: product.product_id,
  seller_sku: product.seller_sku,
  reason,
});

/**
 * Finds the products of a batch.
 *
 * @param lock hold the products until the transaction ends, for a run that writes
 */
export async function findExisting(
  db: Db,
  rows: readonly FeedRow[],
  profile: string | null,
  lock: boolean,
): Promise<(row: FeedRow) => Found> {
  const bySku = await loadBySkus(
    db,
    textsOf(rows, ({ patch }) => patch?.seller_sku),
  );
  const keys = profile === null ? [] : textsOf(rows, ({ patch }) => patch?.external_key);
  const byKey = profile === null ? [] : await loadByExternalKeys(db, profile, keys);
  const claimed = new Set(
    (await loadByIds(db, textsOf(rows, claimedId))).map(({ product_id }) => product_id),
  );
  const distinct = [
    ...new Map([...bySku, ...byKey].map((product) => [product.product_id, product])).values(),
  ];
  const products = lock ? await hold(db, distinct) : distinct;
  const skus = new Map(
    products.flatMap((product) =>
      product.seller_sku === null ? [] : [[product.seller_sku, product] as const],
    ),
  );
  const externals = new Map(
    products.flatMap((product) =>
      product.external_key === null || product.external_profile !== profile
        ? []
        : [[product.external_key, product] as const],
    ),
  );
  return (row) => {
    const sku = skus.get(row.patch?.seller_sku ?? '');
    const external = externals.get(row.patch?.external_key ?? '');
    const id = claimedId(row);
    const visible = id === undefined ? {} : { product_visible: claimed.has(id) };
    const existing = sku ?? external ?? null;
    if (existing === null)
      return { existing, match: id === undefined ? NO_MATCH : { ...NO_MATCH, ...visible } };
    const candidates = [candidate(existing, sku === undefined ? 'external_key' : 'seller_sku')];
    if (sku !== undefined && external !== undefined && external !== sku)
      candidates.push(candidate(external, 'external_key'));
    return {
      existing,
      match: { matched_by: sku === undefined ? 'external_key' : 'seller_sku', candidates, ...visible },
    };
  };
}
