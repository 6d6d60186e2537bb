/**
 * The search by words (`q`), newest product first. The index says which blocks of products may have the words. The
 * search reads the texts of these blocks, newest first, until the page is full. It also reads the products in the
 * queue, which are not in the index yet.
 * Source: docs/adr/0022-search-by-blocks.md.
 */
import { searchWords } from '../../../kernel/fold-text.ts';
import { intArray } from '../../../platform/db/arrays.ts';
import { bytes, integer, nullable, text } from '../../../platform/db/columns.ts';
import { allOf, type Part, part, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { hasWords } from '../../../platform/db/words.ts';
import { blocksInAll } from '../domain/search-blocks.ts';
import { bucketsOfWords } from '../domain/search-grams.ts';

/** The first statement may read two blocks, because a page often ends in the second one. */
const BLOCKS_FIRST = 2;
/** Each next statement may read at most this many times as many blocks. */
const BLOCKS_GROWTH = 8;
/** Greater than every id. */
const AFTER_ALL_IDS = 'z';

interface Search {
  readonly q: string;
  /** Other conditions on `product`. */
  readonly where: Part;
  /** Only products before this id. */
  readonly before: string | undefined;
  readonly limit: number;
}

const matches = ({ q, where, before }: Search): Part =>
  allOf(where, hasWords(q), before !== undefined && part`product_id < ${before}`);

interface IndexHits {
  /** Blocks that may have the words, newest first. */
  readonly blocks: readonly number[];
  /** Ids of queued products that have the words. */
  readonly queued: readonly string[];
}

/** Reads index and queue in one snapshot, because the worker moves products from the queue to the index. */
async function readIndex(
  { db, seller_id }: SellerDb,
  search: Search,
  buckets: readonly number[],
): Promise<IndexHits> {
  const rows = await db.all(statement({
    blocks: nullable(bytes),
    product_id: nullable(text),
    block: nullable(integer),
  })`
    select blocks, null as product_id, null::int as block
      from product_search_gram
     where seller_id = ${seller_id}
       and bucket = any(${intArray(buckets)}::int[])
     union all
    select null, null, (
             select block
               from product_search_block
              where seller_id = ${seller_id}
                and first_product_id <= ${search.before ?? AFTER_ALL_IDS}
              order by first_product_id desc
              limit 1)
     union all
    select null, p.product_id, null
      from (select distinct unnest(product_ids)
              from product_search_queue
             where seller_id = ${seller_id}) as q (product_id)
     cross join lateral (
             select product_id
               from product
              where seller_id = ${seller_id}
                and product_id = q.product_id
                and ${matches(search)}
             offset 0) as p`);
  const sets = rows.flatMap(({ blocks }) => (blocks === null ? [] : [blocks]));
  const newest = rows.find(({ block }) => block !== null)?.block ?? 0;
  return {
    blocks: sets.length < buckets.length ? [] : blocksInAll(sets, newest),
    queued: rows.flatMap(({ product_id }) => (product_id === null ? [] : [product_id])),
  };
}

/**
 * Ids of matching products in some blocks, newest first. PostgreSQL reads one block after the other and stops when the
 * page is full. The ends of the ranges are plain columns: under row-level security PostgreSQL does not use an expression
 * over columns as an index bound.
 *
 * @param blocks newest first
 */
async function searchBlocks(
  { db, seller_id }: SellerDb,
  blocks: readonly number[],
  search: Search,
): Promise<string[]> {
  const rows = await db.all(statement({ product_id: text })`
    select p.product_id
      from (select case when u.block = 0 then '' else b.first_product_id end as first_id,
                   coalesce(n.first_product_id, ${AFTER_ALL_IDS}) as end_id,
                   u.place
              from unnest(${intArray(blocks)}::int[], ${intArray(blocks.map((block) => block + 1))}::int[])
                   with ordinality as u (block, next, place)
              join product_search_block b on b.seller_id = ${seller_id} and b.block = u.block
              left join product_search_block n on n.seller_id = ${seller_id} and n.block = u.next
             order by u.place
            offset 0) as range
     cross join lateral (
             select product_id
               from product
              where seller_id = ${seller_id}
                and product_id >= range.first_id
                and product_id < range.end_id
                and ${matches(search)}
              order by product_id desc
              limit ${search.limit}) as p
     order by range.place, p.product_id desc
     limit ${search.limit}`);
  return rows.map(({ product_id }) => product_id);
}

/**
 * Ids of the products whose texts have all words, newest first.
 *
 * @returns undefined when the search has no words
 */
export async function searchProducts(at: SellerDb, search: Search): Promise<string[] | undefined> {
  const buckets = bucketsOfWords(searchWords(search.q));
  if (buckets.length === 0) return undefined;
  const { blocks, queued } = await readIndex(at, search, buckets);
  const ids = new Set(queued);
  let indexed = 0;
  for (let done = 0, size = BLOCKS_FIRST; done < blocks.length && indexed < search.limit; ) {
    const hits = await searchBlocks(at, blocks.slice(done, done + size), search);
    for (const id of hits) ids.add(id);
    indexed += hits.length;
    done += size;
    // As many blocks as fill the page at the rate of hits so far.
    const blocksToFill =
      indexed === 0 ? Number.POSITIVE_INFINITY : (done * (search.limit - indexed)) / indexed;
    size = Math.max(1, Math.ceil(Math.min(size * BLOCKS_GROWTH, blocksToFill)));
  }
  return [...ids].sort().reverse().slice(0, search.limit);
}
