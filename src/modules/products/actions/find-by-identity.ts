import type { Acting, Db } from '../../../kernel/context.ts';
import { type ApiError, fail, invalid } from '../../../kernel/errors.ts';
import type { ValidPatch } from '../domain/fields/validate-patch.ts';
import { lookupKeys } from '../domain/match-row.ts';
import type { StoredProduct } from '../domain/product.ts';
import { errors } from '../errors.ts';
import { loadByGtins, loadByIds, loadByMpnBrand, loadBySkus } from '../store/load-products.ts';
import { checkIdentity } from './check-identity.ts';
import { toProblem } from './problems.ts';

const NAME_MISSING = {
  loc: ['body', 'seller_sku'],
  msg: 'The body names no product: send its seller_sku or an identity by which it is known.',
  type: 'missing',
};

/** Why a body names no product: its identity is wrong, or it has neither SKU nor identity. */
async function missingName(db: Db, request: ValidPatch): Promise<ApiError> {
  const { messages } = await checkIdentity(db, request);
  const problems = messages
    .filter(({ severity }) => severity === 'error')
    .map((message) => toProblem(message));
  const named = problems.some(({ loc }) => loc[1] === 'identity' || loc[1] === 'seller_sku');
  return invalid(named ? problems : [NAME_MISSING, ...problems]);
}

/**
 * The product that a body names: by its SKU, else by its identity.
 *
 * @throws ApiError 409 `identity_ambiguous` when several products have the identity, 422 when the body names none
 */
export async function findByIdentity(
  { db }: Pick<Acting, 'db'>,
  request: ValidPatch,
): Promise<StoredProduct | undefined> {
  const keys = lookupKeys(request.patch);
  const names = [keys.seller_sku, keys.product_id, keys.gtin14, keys.mpn_folded];
  if (names.every((name) => name === null || name === '')) throw await missingName(db, request);
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
