/** Reading products by what names them; every function keeps the rows' order out of the answer. */
import type { Db, Statement } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { StoredProduct } from '../domain/product.ts';
import { FROM_PRODUCT, SELECT_LIST, toProduct } from './product-columns.ts';

const BY_ID = `select ${SELECT_LIST} from ${FROM_PRODUCT} where p.product_id = $1`;

/**
 * Products under a list of keys, each looked up in the index for itself. Given the list as a whole the planner
 * may read all products of the seller and pass over the others: while its statistics do not know the seller
 * yet, a catalogue looks like one row. `offset 0` keeps the look-ups apart.
 *
 * @param keys columns of a key and their arrays
 * @param where compares the product `p` with the key `k`
 */
const byKeys = (keys: string, arrays: string, where: string): string =>
  `select f.* from (select distinct * from unnest(${arrays}) as u (${keys})) as k ` +
  `cross join lateral (select ${SELECT_LIST} from ${FROM_PRODUCT} where ${where} offset 0) as f`;

const BY_SKUS = byKeys('sku', '$1::text[]', 'p.seller_sku = k.sku');
const BY_IDS = byKeys('id', '$1::text[]', 'p.product_id = k.id');
const BY_KEYS = byKeys('key', '$2::text[]', 'p.external_profile = $1 and p.external_key = k.key');
const BY_GTINS = byKeys('gtin', '$1::text[]', "p.gtin14 = k.gtin and p.status <> 'archived'");
const BY_MPN_BRAND = byKeys(
  'brand, mpn',
  '$1::text[], $2::text[]',
  'p.brand_folded = k.brand and p.mpn_folded = k.mpn ' +
    "and p.identity_strategy = 'mpn_brand' and p.status <> 'archived'",
);
/** Locked in order of the id, so that two writers never wait for each other in a circle. */
const LOCK = lockInOrder('select unnest($1::text[]) as id', 'p.product_id, p.version');

/** Holds products, or their stock, one by one in the order of their ids, for the same reason as above. */
export function lockInOrder(
  ids: string,
  columns: string,
  table: 'product' | 'inventory' = 'product',
): string {
  return (
    `select f.* from (select distinct id collate "C" as id from (${ids}) as u order by 1) as k ` +
    `cross join lateral (select ${columns} from ${table} p where p.product_id = k.id limit 1 for update) as f`
  );
}

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
