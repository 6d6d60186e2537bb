/** Reading products by what names them; every function keeps the rows' order out of the answer. */
import type { Db, Statement } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import { FROM_PRODUCT, SELECT_LIST, type StoredProduct, toProduct } from './product-columns.ts';

const BY_ID = `select ${SELECT_LIST} from ${FROM_PRODUCT} where p.product_id = $1`;
const BY_SKUS = `select ${SELECT_LIST} from ${FROM_PRODUCT} where p.seller_sku = any($1::text[])`;
const BY_IDS = `select ${SELECT_LIST} from ${FROM_PRODUCT} where p.product_id = any($1::text[])`;
const BY_KEYS = `select ${SELECT_LIST} from ${FROM_PRODUCT} where p.external_profile = $1 and p.external_key = any($2::text[])`;
const BY_GTINS = `select ${SELECT_LIST} from ${FROM_PRODUCT} where p.gtin14 = any($1::text[]) and p.status <> 'archived'`;
const BY_MPN_BRAND =
  `select ${SELECT_LIST} from ${FROM_PRODUCT} where (p.brand_folded, p.mpn_folded) in (select * from unnest($1::text[], $2::text[])) ` +
  `and p.identity_strategy = 'mpn_brand' and p.status <> 'archived'`;
/** Locked in order of the id, so that two writers never wait for each other in a circle. */
const LOCK =
  'select product_id, version from product where product_id = any($1::text[]) order by product_id for update';

async function load(db: Db, statement: Statement<unknown>): Promise<StoredProduct[]> {
  return (await db.all(statement)).map(toProduct);
}

export async function loadProduct(db: Db, productId: string): Promise<StoredProduct | undefined> {
  return (await load(db, sql(BY_ID, [productId])))[0];
}

/** Products of this seller with one of the SKUs, archived ones included. */
export async function loadBySkus(db: Db, skus: readonly string[]): Promise<StoredProduct[]> {
  return skus.length === 0 ? [] : load(db, sql(BY_SKUS, [textArray(skus)]));
}

export async function loadByIds(db: Db, productIds: readonly string[]): Promise<StoredProduct[]> {
  return productIds.length === 0 ? [] : load(db, sql(BY_IDS, [textArray(productIds)]));
}

/** Products that an import profile wrote under one of its own keys. */
export async function loadByExternalKeys(
  db: Db,
  profile: string,
  keys: readonly string[],
): Promise<StoredProduct[]> {
  return keys.length === 0 ? [] : load(db, sql(BY_KEYS, [profile, textArray(keys)]));
}

/** Products of this seller under one of the canonical codes. */
export async function loadByGtins(db: Db, gtins: readonly string[]): Promise<StoredProduct[]> {
  return gtins.length === 0 ? [] : load(db, sql(BY_GTINS, [textArray(gtins)]));
}

/** Products of this seller under one of the folded pairs. */
export async function loadByMpnBrand(
  db: Db,
  pairs: readonly { readonly brand: string; readonly mpn: string }[],
): Promise<StoredProduct[]> {
  if (pairs.length === 0) return [];
  return load(db, sql(BY_MPN_BRAND, [pairs.map(({ brand }) => brand), pairs.map(({ mpn }) => mpn)]));
}

/** Holds the rows until the transaction ends, and tells their versions as they are now. */
export async function lockProducts(db: Db, productIds: readonly string[]): Promise<Map<string, number>> {
  if (productIds.length === 0) return new Map();
  const rows = await db.all<{ product_id: string; version: number }>(sql(LOCK, [textArray(productIds)]));
  return new Map(rows.map((row) => [row.product_id, row.version]));
}
