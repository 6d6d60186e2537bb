/**
 * The index of the search by words. A write adds its products to a queue, in its own transaction; the worker moves
 * them into the index. A search reads both, so it finds a product immediately after the commit.
 */
import type { Db } from '../../../kernel/context.ts';
import { intArray, textArray } from '../../../platform/db/arrays.ts';
import { boolean, bytes, integer, text, texts } from '../../../platform/db/columns.ts';
import { command, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type SellerDb } from '../../../platform/db/table.ts';
import type { CatalogueProduct } from '../domain/product.ts';
import { placeInBlocks, withBlocks } from '../domain/search-blocks.ts';
import { addBuckets } from '../domain/search-grams.ts';
import { searchText } from './search-text.ts';

const blockTable = defineTable('product_search_block', ['block'], {
  block: integer,
  first_product_id: text,
  last_product_id: text,
  products: integer,
});
const gramTable = defineTable('product_search_gram', ['bucket'], { bucket: integer, blocks: bytes });

/** Queue entries that the worker indexes in one transaction. */
const ENTRIES_PER_STEP = 100;

type Text = Pick<CatalogueProduct, 'product_id' | 'seller_sku' | 'title' | 'brand'>;

/** Queues products that are new or whose searched text has changed. */
export async function queueForSearch(
  db: Db,
  sellerId: string,
  writes: readonly { readonly before: Text | null; readonly after: Text }[],
): Promise<void> {
  const productIds = writes
    .filter(({ before, after }) => before === null || searchText(before) !== searchText(after))
    .map(({ after }) => after.product_id);
  if (productIds.length === 0) return;
  await db.run(command`
    insert into product_search_queue (seller_id, product_ids)
    values (${sellerId}, ${textArray(productIds)}::text[])`);
}

/** Up to 100 sellers with products in the queue. */
export async function sellersToIndex(db: Db): Promise<string[]> {
  const rows = await db.all(statement({ seller_id: text })`
    select distinct seller_id
      from product_search_queue
     limit 100`);
  return rows.map(({ seller_id }) => seller_id);
}

async function takeFromQueue({ db, seller_id }: SellerDb): Promise<string[]> {
  const taken = await db.all(statement({ product_ids: texts })`
    delete from product_search_queue
     where seller_id = ${seller_id}
       and entry in (
             select entry
               from product_search_queue
              where seller_id = ${seller_id}
              order by entry
              limit ${ENTRIES_PER_STEP})
    returning product_ids`);
  return [...new Set(taken.flatMap(({ product_ids }) => product_ids))].sort();
}

interface IndexedText {
  readonly product_id: string;
  readonly search_text: string;
}

/** For each bucket, the blocks whose texts have grams of the bucket. */
function blocksByBucket(
  products: readonly IndexedText[],
  placed: ReadonlyMap<string, number>,
): Map<number, number[]> {
  const byBlock = new Map<number, Set<number>>();
  for (const { product_id, search_text } of products) {
    const block = placed.get(product_id) ?? 0;
    const buckets = byBlock.get(block) ?? new Set<number>();
    byBlock.set(block, buckets);
    addBuckets(buckets, search_text);
  }
  const byBucket = new Map<number, number[]>();
  for (const [block, buckets] of byBlock)
    for (const bucket of buckets) {
      const blocks = byBucket.get(bucket);
      if (blocks === undefined) byBucket.set(bucket, [block]);
      else blocks.push(block);
    }
  return byBucket;
}

async function addToBuckets(at: SellerDb, byBucket: ReadonlyMap<number, readonly number[]>): Promise<void> {
  const known = await at.db.all(
    gramTable.select(at.seller_id, part`bucket = any(${intArray([...byBucket.keys()])}::int[])`),
  );
  const before = new Map(known.map(({ bucket, blocks }) => [bucket, blocks]));
  const changed = [...byBucket].flatMap(([bucket, blocks]) => {
    const old = before.get(bucket);
    const next = withBlocks(old, blocks);
    return next === old ? [] : [{ bucket, blocks: Buffer.from(next) }];
  });
  await gramTable.upsertMany(at, changed);
}

/**
 * Moves products of the oldest writes from the queue into the index.
 *
 * @returns whether the queue may have more entries
 */
export async function indexNext(at: SellerDb): Promise<boolean> {
  const { db, seller_id } = at;
  // Buckets are read and written back, so only one worker at a time may index a seller.
  const lock = await db.one(statement({ taken: boolean })`
    select pg_try_advisory_xact_lock(hashtextextended('product_search/' || ${seller_id}, 0)) as taken`);
  if (lock?.taken !== true) return false;
  const productIds = await takeFromQueue(at);
  if (productIds.length === 0) return false;
  // The texts are read after the delete: a later change queues its product again. Each product is a separate look-up,
  // because for a list the planner may read the whole catalogue.
  const products = await db.all(statement({ product_id: text, search_text: text })`
    select p.product_id, p.search_text
      from unnest(${textArray(productIds)}::text[]) as u (product_id)
     cross join lateral (
             select product_id, search_text
               from product
              where seller_id = ${seller_id}
                and product_id = u.product_id
             offset 0) as p`);
  const blocks = await blockTable.all(at, part`true order by block`);
  const { placed, changed } = placeInBlocks(blocks, products.map(({ product_id }) => product_id).sort());
  await blockTable.upsertMany(at, changed);
  await addToBuckets(at, blocksByBucket(products, placed));
  return true;
}
