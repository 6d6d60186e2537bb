import { fail } from '../../../kernel/errors.ts';
import { lookupKeys } from '../domain/match-row.ts';
import type { ProductPatch } from '../domain/row.ts';
import { errors } from '../errors.ts';
import { loadByGtins, loadByIds, loadByMpnBrand, loadBySkus } from '../store/load-products.ts';
import type { StoredProduct } from '../store/product-columns.ts';
import type { WriteContext } from './write-context.ts';

/**
 * The product that a body names: by its SKU, else by its identity.
 *
 * @throws ApiError 409 `identity_ambiguous` when several products have the identity
 */
export async function findByIdentity(
  { db }: Pick<WriteContext, 'db'>,
  patch: ProductPatch,
): Promise<StoredProduct | undefined> {
  const keys = lookupKeys(patch);
  const found = async (): Promise<readonly StoredProduct[]> => {
    if (keys.seller_sku !== null) {
      const bySku = await loadBySkus(db, [keys.seller_sku]);
      if (bySku.length > 0) return bySku;
    }
    if (keys.product_id !== null) return loadByIds(db, [keys.product_id]);
    if (keys.gtin14 !== null) return loadByGtins(db, [keys.gtin14]);
    if (keys.brand_folded === null || keys.mpn_folded === null) return [];
    return loadByMpnBrand(db, [{ brand: keys.brand_folded, mpn: keys.mpn_folded }]);
  };
  const products = await found();
  if (products.length > 1) {
    const candidates = products
      .slice(0, 10)
      .map(({ product_id, seller_sku }) => ({ product_id, seller_sku }));
    throw fail(errors.identity_ambiguous, { facts: { candidates } });
  }
  return products[0];
}
