/** Reads products by their keys; the order of the answers is not that of the keys. */
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { integer, text } from '../../../platform/db/columns.ts';
import { command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { StoredProduct } from '../domain/product.ts';
import { FROM_PRODUCT, PRODUCT, SELECT_LIST, toProduct } from './product-columns.ts';

const select = part`select ${raw(SELECT_LIST)} from ${raw(FROM_PRODUCT)}`;

export async function loadProduct(db: Db, productId: string): Promise<StoredProduct | undefined> {
  const row = await db.one(statement(PRODUCT)`
    ${select}
     where p.product_id = ${productId}`);
  return row && toProduct(row);
}

/**
 * Loads the products of a list of keys. Each key is looked up in the index by itself: for the whole list the planner
 * may read all products of the seller, because without statistics about a seller a catalogue looks like one row.
 * `offset 0` keeps the look-ups apart.
 *
 * @param keys relation of the keys, for example `unnest(…) as u (sku)`
 * @param where compares the product `p` with the key `k`
 */
async function loadByKeys(db: Db, keys: Part, where: Part): Promise<StoredProduct[]> {
  const rows = await db.all(statement(PRODUCT)`
    select f.*
      from (select distinct * from ${keys}) as k
     cross join lateral (${select} where ${where} offset 0) as f`);
  return rows.map(toProduct);
}

const oneKey = (values: readonly string[]): Part => part`unnest(${textArray(values)}::text[]) as u (key)`;

/** Archived products are included. */
export async function loadBySkus(db: Db, skus: readonly string[]): Promise<StoredProduct[]> {
  return skus.length === 0 ? [] : loadByKeys(db, oneKey(skus), raw('p.seller_sku = k.key'));
}

export async function loadByIds(db: Db, productIds: readonly string[]): Promise<StoredProduct[]> {
  return productIds.length === 0 ? [] : loadByKeys(db, oneKey(productIds), raw('p.product_id = k.key'));
}

/** Products that an import profile wrote under one of its own keys. */
export async function loadByExternalKeys(
  db: Db,
  profile: string,
  keys: readonly string[],
): Promise<StoredProduct[]> {
  if (keys.length === 0) return [];
  return loadByKeys(db, oneKey(keys), part`p.external_profile = ${profile} and p.external_key = k.key`);
}

/** Products with one of the canonical codes; archived ones are left out. */
export async function loadByGtins(db: Db, gtins: readonly string[]): Promise<StoredProduct[]> {
  if (gtins.length === 0) return [];
  return loadByKeys(db, oneKey(gtins), raw("p.gtin14 = k.key and p.status <> 'archived'"));
}

export interface MpnBrand {
  readonly mpn: string;
  readonly brand: string;
}

/** Products with one of the folded pairs as identity; archived ones are left out. */
export async function loadByMpnBrand(db: Db, pairs: readonly MpnBrand[]): Promise<StoredProduct[]> {
  if (pairs.length === 0) return [];
  const brands = textArray(pairs.map(({ brand }) => brand));
  const mpns = textArray(pairs.map(({ mpn }) => mpn));
  const where = raw(
    'p.brand_folded = k.brand and p.mpn_folded = k.mpn ' +
      "and p.identity_strategy = 'mpn_brand' and p.status <> 'archived'",
  );
  return loadByKeys(db, part`unnest(${brands}::text[], ${mpns}::text[]) as u (brand, mpn)`, where);
}

/** Locks the rows in the order of their ids, so that two transactions never deadlock. */
function lockInOrder(ids: Part, columns: string, table: 'product' | 'inventory'): Part {
  return part`
    select f.*
      from (select distinct id collate "C" as id from (${ids}) as u order by 1) as k
     cross join lateral (
       select ${raw(columns)} from ${raw(table)} p where p.product_id = k.id limit 1 for update) as f`;
}

const idsIn = (productIds: readonly string[]): Part =>
  part`select unnest(${textArray(productIds)}::text[]) as id`;

/** Locks products until the transaction ends and returns their present versions. */
export async function lockProducts(db: Db, productIds: readonly string[]): Promise<Map<string, number>> {
  if (productIds.length === 0) return new Map();
  const rows = await db.all(
    statement({ product_id: text, version: integer })`
      ${lockInOrder(idsIn(productIds), 'p.product_id, p.version', 'product')}`,
  );
  return new Map(rows.map((row) => [row.product_id, row.version]));
}

/** Names of products: their ids, their SKUs, or both. */
export interface Names {
  readonly ids: readonly string[];
  readonly skus: readonly string[];
}

/**
 * Locks the named products and their stock until the transaction ends, then reads them. The stock has a lock of its
 * own, because orders move stock without a lock on the product.
 */
export async function lockNamedProducts(db: Db, { ids, skus }: Names): Promise<StoredProduct[]> {
  if (ids.length === 0 && skus.length === 0) return [];
  const named = part`
    ${idsIn(ids)}
     union all
    select s.product_id
      from unnest(${textArray(skus)}::text[]) as n (sku)
     cross join lateral (select product_id from product where seller_sku = n.sku offset 0) as s`;
  const locked = await db.all(
    statement({ product_id: text })`${lockInOrder(named, 'p.product_id', 'product')}`,
  );
  const productIds = locked.map(({ product_id }) => product_id);
  await db.run(command`${lockInOrder(idsIn(productIds), 'p.product_id', 'inventory')}`);
  return loadByIds(db, productIds);
}
