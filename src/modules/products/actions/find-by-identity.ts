import { type ApiError, fail, invalid } from '../../../kernel/errors.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { ValidPatch } from '../domain/fields/validate-patch.ts';
import { lookupKeys } from '../domain/match-row.ts';
import type { StoredProduct } from '../domain/product.ts';
import { errors } from '../errors.ts';
import { loadByGtins, loadByIds, loadByMpnBrand, loadBySkus } from '../store/load-products.ts';
import { checkIdentity } from './check-identity.ts';
import { toProblem } from './problems.ts';

const NAME_MISSING = {
  loc: ['body', 'seller_sku'],
  msg: 'Send the seller_sku or an identity of the product.',
  type: 'missing',
};

/** The error of a body that names no product: its identity is invalid, or it has neither SKU nor identity. */
async function missingName(at: SellerDb, request: ValidPatch): Promise<ApiError> {
  const { messages } = await checkIdentity(at, request);
  const problems = messages
    .filter(({ severity }) => severity === 'error')
    .map((message) => toProblem(message));
  const named = problems.some(({ loc }) => loc[1] === 'identity' || loc[1] === 'seller_sku');
  return invalid(named ? problems : [NAME_MISSING, ...problems]);
}

/**
 * Finds the product that a body names: by its SKU, otherwise by its identity. Products may share a GTIN. So if the body
 * has a SKU, its identity names only a product that has no SKU yet.
 *
 * @throws ApiError 409 `identity_ambiguous` when several products have the identity, 422 when the body names none
 */
export async function findByIdentity(at: SellerDb, request: ValidPatch): Promise<StoredProduct | undefined> {
  const keys = lookupKeys(request.patch);
  const names = [keys.seller_sku, keys.product_id, keys.gtin14, keys.mpn_folded];
  if (names.every((name) => name === null || name === '')) throw await missingName(at, request);
  const found = async (): Promise<readonly StoredProduct[]> => {
    if (keys.seller_sku !== null) {
      const bySku = await loadBySkus(at, [keys.seller_sku]);
      if (bySku.length > 0) return bySku;
    }
    if (keys.product_id !== null) return loadByIds(at, [keys.product_id]);
    if (keys.gtin14 !== null) return loadByGtins(at, [keys.gtin14]);
    if (keys.brand_folded === null || keys.mpn_folded === null) return [];
    return loadByMpnBrand(at, [{ brand: keys.brand_folded, mpn: keys.mpn_folded }]);
  };
  const all = await found();
  const products =
    keys.seller_sku === null
      ? all
      : all.filter(({ seller_sku }) => seller_sku === null || seller_sku === keys.seller_sku);
  if (products.length > 1) {
    const candidates = products
      .slice(0, 10)
      .map(({ product_id, seller_sku }) => ({ product_id, seller_sku }));
    throw fail(errors.identity_ambiguous, { facts: { candidates } });
  }
  return products[0];
}
