import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';
import { loadByIds } from './load-products.ts';
import type { StoredProduct } from './product-columns.ts';

/** In order of the id, so that two writers never wait for each other in a circle. */
const LOCK_NAMED =
  'select product_id from product where product_id in (select unnest($1::text[]) ' +
  'union select s.product_id from product s where s.seller_sku = any($2)) order by product_id for update';

/** What names products: their ids, their SKUs, or both. */
export interface Names {
  readonly ids: readonly string[];
  readonly skus: readonly string[];
}

/** Holds the named products until the transaction ends and reads them as they are then. */
export async function holdProducts(db: Db, { ids, skus }: Names): Promise<StoredProduct[]> {
  if (ids.length === 0 && skus.length === 0) return [];
  const held = await db.all<{ product_id: string }>(sql(LOCK_NAMED, [ids, skus]));
  return loadByIds(
    db,
    held.map(({ product_id }) => product_id),
  );
}
