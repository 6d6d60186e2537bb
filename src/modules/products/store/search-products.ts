/**
 * The search by words (`q`), newest product first. The index says which blocks of products may hold the words; the
 * search reads the texts of these blocks, the newest first, until the page is full. Products that are not in the
 * index yet are in its queue, and are read as well.
 * Source: docs/adr/0022-search-by-blocks.md.
 */
import type { Db } from '../../../kernel/context.ts';
import { searchWords } from '../../../kernel/fold-text.ts';
import { intArray } from '../../../platform/db/arrays.ts';
import { bytes, integer, nullable, text } from '../../../platform/db/columns.ts';
import { allOf, type Part, part, statement } from '../../../platform/db/statement.ts';
import { hasWords } from '../../../platform/db/words.ts';
import { blocksInAll } from '../domain/search-blocks.ts';
import { bucketsOfWords } from '../domain/search-grams.ts';

/** The first statement reads one block; each further one reads at most this many times as many. */
const MORE_BLOCKS = 8;
/** Greater than every id. */
const BEHIND_ALL = 'z';

export interface Search {
  readonly q: string;
  /** Conditions on `product p` beside the words. */
  readonly where: Part;
  /** Only products before this id. */
  readonly before: string | undefined;
  readonly limit: number;
}

const found = ({ q, where, before }: Search): Part =>
  allOf(where, hasWords(q), before !== undefined && part`product_id < ${before}`);

interface Lead {
  /** Blocks that may hold the words, the newest first. */
  readonly blocks: readonly number[];
  /** Products of the queue that have the words. */
  readonly queued: readonly string[];
}

/** One snapshot of index and queue: the worker moves products from one to the other. */
async function readIndex(db: Db, search: Search, buckets: readonly number[]): Promise<Lead> {
  const rows = await db.all(statement({
    blocks: nullable(bytes),
    product_id: nullable(text),
    block: nullable(integer),
  })`
    select blocks, null as product_id, null::int as block
      from product_search_gram
     where bucket = any(${intArray(buckets)}::int[])
     union all
    select null, null, (
             select block
               from product_search_block
              where first_product_id <= ${search.before ?? BEHIND_ALL}
              order by first_product_id desc
              limit 1)
     union all
    select null, p.product_id, null
      from (select distinct unnest(product_ids) from product_search_queue) as q (product_id)
     cross join lateral (
             select product_id
               from product
              where product_id = q.product_id
                and ${found(search)}
             offset 0) as p`);
  const sets = rows.flatMap(({ blocks }) => (blocks === null ? [] : [blocks]));
  const newest = rows.find(({ block }) => block !== null)?.block ?? 0;
  return {
    blocks: sets.length < buckets.length ? [] : blocksInAll(sets, newest),
    queued: rows.flatMap(({ product_id }) => (product_id === null ? [] : [product_id])),
  };
}

/**
 * Products of some blocks, the newest first. The ends of the ranges are columns of their own: under row-level
 * security an expression over columns is no bound of an index.
 */
async function searchBlocks(db: Db, blocks: readonly number[], search: Search): Promise<string[]> {
  const rows = await db.all(statement({ product_id: text })`
      with range as materialized (
             select case when u.block = 0 then '' else b.first_product_id end as first_id,
                    coalesce(n.first_product_id, ${BEHIND_ALL}) as end_id
               from unnest(${intArray(blocks)}::int[], ${intArray(blocks.map((block) => block + 1))}::int[])
                    as u (block, next)
               join product_search_block b on b.block = u.block
               left join product_search_block n on n.block = u.next)
    select p.product_id
      from range
     cross join lateral (
             select product_id
               from product
              where product_id >= range.first_id
                and product_id < range.end_id
                and ${found(search)}
              order by product_id desc
              limit ${search.limit}) as p
     order by p.product_id desc
     limit ${search.limit}`);
  return rows.map(({ product_id }) => product_id);
}

/**
 * Ids of the products whose texts have all words, the newest first.
 *
 * @returns undefined where the words are too short for the index
 */
export async function searchProducts(db: Db, search: Search): Promise<string[] | undefined> {
  const buckets = bucketsOfWords(searchWords(search.q));
  if (buckets.length === 0) return undefined;
  const { blocks, queued } = await readIndex(db, search, buckets);
  const ids = new Set(queued);
  let indexed = 0;
  for (let done = 0, size = 1; done < blocks.length && indexed < search.limit; ) {
    const some = await searchBlocks(db, blocks.slice(done, done + size), search);
    for (const id of some) ids.add(id);
    indexed += some.length;
    done += size;
    // As many as should fill the page, by what the blocks so far had; many where they had nothing.
    const enough = indexed === 0 ? Number.POSITIVE_INFINITY : (done * (search.limit - indexed)) / indexed;
    size = Math.max(1, Math.ceil(Math.min(size * MORE_BLOCKS, enough)));
  }
  return [...ids].sort().reverse().slice(0, search.limit);
}
