import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { StoredProduct } from '../domain/product.ts';
import { loadByIds, lockInOrder } from './load-products.ts';

const LOCK_NAMED = lockInOrder(
  'select unnest($1::text[]) as id union all select s.product_id from unnest($2::text[]) as n (sku) ' +
    'cross join lateral (select product_id from product where seller_sku = n.sku offset 0) as s',
  'p.product_id',
);

/** Orders move stock without holding its product: who computes with units on hand must hold them as well. */
const LOCK_STOCK = lockInOrder('select unnest($1::text[]) as id', 'p.product_id', 'inventory');

/** What names products: their ids, their SKUs, or both. */
export interface Names {
  readonly ids: readonly string[];
  readonly skus: readonly string[];
}

/** Holds the named products and their stock until the transaction ends and reads them as they are then. */
export async function holdProducts(db: Db, { ids, skus }: Names): Promise<StoredProduct[]> {
  if (ids.length === 0 && skus.length === 0) return [];
  const held = await db.all<{ product_id: string }>(sql(LOCK_NAMED, [ids, skus]));
  const productIds = held.map(({ product_id }) => product_id);
  await db.run(sql(LOCK_STOCK, [productIds]));
  return loadByIds(db, productIds);
}
