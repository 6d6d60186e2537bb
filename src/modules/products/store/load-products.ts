/** Reads products by their keys. The results are not in the order of the keys. */
import { textArray } from '../../../platform/db/arrays.ts';
import { text } from '../../../platform/db/columns.ts';
import { lockInOrder } from '../../../platform/db/lock-in-order.ts';
import { command, type Part, part, raw, rowsOf, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { StoredProduct } from '../domain/product.ts';
import { FROM_PRODUCT, PRODUCT, SELECT_LIST, toProduct } from './product-columns.ts';

const select = part`select ${raw(SELECT_LIST)} from ${raw(FROM_PRODUCT)}`;

export async function loadProduct(
  { db, seller_id }: SellerDb,
  productId: string,
): Promise<StoredProduct | undefined> {
  const row = await db.one(statement(PRODUCT)`
    ${select}
     where p.seller_id = ${seller_id}
       and p.product_id = ${productId}`);
  return row && toProduct(row);
}

/**
 * Loads the products of a list of keys. Each key is a separate index look-up: for the whole list the planner may read
 * all products of the seller, because without statistics a new catalogue looks like one row. `offset 0` keeps the
 * look-ups separate.
 *
 * @param keys relation of the keys, for example `unnest(…) as u (sku)`
 * @param where compares the product `p` with the key `k`
 */
async function loadByKeys({ db, seller_id }: SellerDb, keys: Part, where: Part): Promise<StoredProduct[]> {
  const rows = await db.all(statement(PRODUCT)`
    select f.*
      from (select distinct * from ${keys}) as k
     cross join lateral (${select} where p.seller_id = ${seller_id} and ${where} offset 0) as f`);
  return rows.map(toProduct);
}

const oneKey = (values: readonly string[]): Part => part`(${rowsOf(values, 'key')}) as u`;

/** Includes archived products. */
export async function loadBySkus(at: SellerDb, skus: readonly string[]): Promise<StoredProduct[]> {
  return skus.length === 0 ? [] : loadByKeys(at, oneKey(skus), raw('p.seller_sku = k.key'));
}

export async function loadByIds(at: SellerDb, productIds: readonly string[]): Promise<StoredProduct[]> {
  return productIds.length === 0 ? [] : loadByKeys(at, oneKey(productIds), raw('p.product_id = k.key'));
}

/** Loads products that an import profile wrote, by the profile's keys. */
export async function loadByExternalKeys(
  at: SellerDb,
  profile: string,
  keys: readonly string[],
): Promise<StoredProduct[]> {
  if (keys.length === 0) return [];
  return loadByKeys(at, oneKey(keys), part`p.external_profile = ${profile} and p.external_key = k.key`);
}

/** Loads products with one of the canonical codes, without archived products. */
export async function loadByGtins(at: SellerDb, gtins: readonly string[]): Promise<StoredProduct[]> {
  if (gtins.length === 0) return [];
  return loadByKeys(at, oneKey(gtins), raw("p.gtin14 = k.key and p.status <> 'archived'"));
}

interface MpnBrand {
  readonly mpn: string;
  readonly brand: string;
}

/** Loads products that one of the folded pairs identifies, without archived products. */
export async function loadByMpnBrand(at: SellerDb, pairs: readonly MpnBrand[]): Promise<StoredProduct[]> {
  if (pairs.length === 0) return [];
  const brands = textArray(pairs.map(({ brand }) => brand));
  const mpns = textArray(pairs.map(({ mpn }) => mpn));
  const where = raw(
    'p.brand_folded = k.brand and p.mpn_folded = k.mpn ' +
      "and p.identity_strategy = 'mpn_brand' and p.status <> 'archived'",
  );
  return loadByKeys(at, part`unnest(${brands}::text[], ${mpns}::text[]) as u (brand, mpn)`, where);
}

const PRODUCT_ROWS = { table: 'product', key: 'product_id' };
const STOCK_ROWS = { table: 'inventory', key: 'product_id' };

const idsIn = (productIds: readonly string[]): Part => rowsOf(productIds, 'id');

export interface Names {
  readonly ids: readonly string[];
  readonly skus?: readonly string[];
  /** The keys of files of an import profile. */
  readonly external?: { readonly profile: string; readonly keys: readonly string[] } | undefined;
}

/** The ids of the products that a key `n` of a list finds, each by a look-up of its own. */
const idsBy = (sellerId: string, keys: readonly string[], where: Part): Part => part`
     union all
    select s.product_id
      from (${rowsOf(keys, 'key')}) as n
     cross join lateral (
       select p.product_id
         from product p
        where p.seller_id = ${sellerId}
          and ${where}
       offset 0) as s`;

/**
 * Locks the named products until the transaction ends. Only what is read afterwards is present: their stock may have
 * changed while this waited.
 *
 * @returns the ids of those that exist
 */
export async function lockProducts({ db, seller_id }: SellerDb, names: Names): Promise<string[]> {
  const { ids, skus = [], external } = names;
  const keys = external?.keys ?? [];
  if (ids.length === 0 && skus.length === 0 && keys.length === 0) return [];
  const named = part`
    ${idsIn(ids)}
    ${skus.length === 0 ? raw('') : idsBy(seller_id, skus, raw('p.seller_sku = n.key'))}
    ${
      external === undefined || keys.length === 0
        ? raw('')
        : idsBy(seller_id, keys, part`p.external_profile = ${external.profile} and p.external_key = n.key`)
    }`;
  const locked = await db.all(
    statement({ product_id: text })`${lockInOrder(PRODUCT_ROWS, seller_id, named)}`,
  );
  return locked.map(({ product_id }) => product_id);
}

/**
 * Locks the named products and their stock until the transaction ends. The stock needs its own lock, because orders
 * move stock without locking the product.
 *
 * @returns the ids of those that exist
 */
export async function holdProducts(at: SellerDb, names: Names): Promise<string[]> {
  const productIds = await lockProducts(at, names);
  if (productIds.length > 0)
    await at.db.run(command`${lockInOrder(STOCK_ROWS, at.seller_id, idsIn(productIds))}`);
  return productIds;
}

/** Locks the named products and their stock until the transaction ends, then reads them. */
export const lockNamedProducts = async (at: SellerDb, names: Names): Promise<StoredProduct[]> =>
  loadByIds(at, await holdProducts(at, names));
