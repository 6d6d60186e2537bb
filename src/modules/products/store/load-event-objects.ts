/** What the events of bulk writes are about, read in the system's scope: every statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { FeedRun } from '../domain/feed-run/run.ts';
import type { StockRow, StoredProduct } from '../domain/product.ts';
import { FEED_RUN_COLUMNS } from './feed-runs.ts';
import { JOIN_STOCK, STOCK_COLUMNS } from './list-inventory.ts';
import { FROM_PRODUCT, SELECT_LIST, toProduct } from './product-columns.ts';

const OF_SELLER = 'p.seller_id = $1 and p.product_id = any($2::text[])';

export async function loadProductsOf(
  db: Db,
  sellerId: string,
  productIds: readonly string[],
): Promise<StoredProduct[]> {
  const text = `select ${SELECT_LIST} from ${FROM_PRODUCT} where ${OF_SELLER}`;
  return (await db.all(sql(text, [sellerId, textArray(productIds)]))).map(toProduct);
}

export async function loadStocksOf(
  db: Db,
  sellerId: string,
  productIds: readonly string[],
): Promise<StockRow[]> {
  const text = `select ${STOCK_COLUMNS} from product p ${JOIN_STOCK} where ${OF_SELLER}`;
  return db.all<StockRow>(sql(text, [sellerId, textArray(productIds)]));
}

export async function loadRunsOf(db: Db, sellerId: string, runIds: readonly string[]): Promise<FeedRun[]> {
  const text = `select ${FEED_RUN_COLUMNS} from feed_run where seller_id = $1 and run_id = any($2::text[])`;
  return db.all<FeedRun>(sql(text, [sellerId, textArray(runIds)]));
}
