/** Loads the objects of events that bulk writes stored without them, in either scope. */
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { part, raw, statement } from '../../../platform/db/statement.ts';
import type { FeedRun } from '../domain/feed-run/run.ts';
import type { StockRow, StoredProduct } from '../domain/product.ts';
import { feedRuns } from './feed-runs.ts';
import { FROM_PRODUCT, PRODUCT, SELECT_LIST, toProduct } from './product-columns.ts';
import { JOIN_STOCK, STOCK, STOCK_COLUMNS } from './stock-columns.ts';

const ofSeller = (sellerId: string, productIds: readonly string[]) =>
  part`p.seller_id = ${sellerId} and p.product_id = any(${textArray(productIds)}::text[])`;

export async function loadProductsOf(
  db: Db,
  sellerId: string,
  productIds: readonly string[],
): Promise<StoredProduct[]> {
  const rows = await db.all(statement(PRODUCT)`
    select ${raw(SELECT_LIST)}
      from ${raw(FROM_PRODUCT)}
     where ${ofSeller(sellerId, productIds)}`);
  return rows.map(toProduct);
}

export async function loadStocksOf(
  db: Db,
  sellerId: string,
  productIds: readonly string[],
): Promise<StockRow[]> {
  return db.all(statement(STOCK)`
    select ${STOCK_COLUMNS}
      from product p ${JOIN_STOCK}
     where ${ofSeller(sellerId, productIds)}`);
}

export async function loadRunsOf(db: Db, sellerId: string, runIds: readonly string[]): Promise<FeedRun[]> {
  return db.all(feedRuns.select(sellerId, part`run_id = any(${textArray(runIds)}::text[])`));
}
