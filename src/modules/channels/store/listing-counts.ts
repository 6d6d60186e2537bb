/** How many listings are in each state, as a job has counted them. */
import { instant, integer, json, nullable, type RowOf, text, textOf } from '../../../platform/db/columns.ts';
import { command, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { ListingState } from '../domain/listing-state.ts';
import { differs } from './links.ts';
import { AT_STORE, ON_MARKETPLACE } from './listings.ts';

export type StateCounts = Readonly<Partial<Record<ListingState, number>>>;

const COUNTED = {
  /** By channel. */
  counts: json<Readonly<Record<string, StateCounts>>>(),
  counted_at: instant,
  took_ms: integer,
};
export type ListingCounts = RowOf<typeof COUNTED>;

export const findCounts = ({ db, seller_id }: SellerDb): Promise<ListingCounts | undefined> =>
  db.one(statement(COUNTED)`
    select counts, counted_at, took_ms
      from channel_listing_count
     where seller_id = ${seller_id}`);

export async function saveCounts(
  { db, seller_id }: SellerDb,
  { counts, counted_at, took_ms }: ListingCounts,
): Promise<void> {
  await db.run(command`
    insert into channel_listing_count (seller_id, counts, counted_at, took_ms)
    values (${seller_id}, ${JSON.stringify(counts)}, ${counted_at}, ${took_ms})
        on conflict (seller_id) do update
           set counts = excluded.counts,
               counted_at = excluded.counted_at,
               took_ms = excluded.took_ms`);
}

const PART = {
  channel_id: text,
  state: textOf<ListingState>(),
  count: integer,
  /** The last product that was counted. */
  last: nullable(text),
};

/** The listings of products after a product, by channel and state. */
export const countAfter = ({ db, seller_id }: SellerDb, after: string, products: number) =>
  db.all(statement(PART)`
    with p as materialized (
      select *
        from v_products_listed
       where seller_id = ${seller_id}
         and product_id > ${after}
       order by product_id
       limit ${products}),
    listed as (
      select 'marketplace' as channel_id, ${ON_MARKETPLACE} as state
        from p
       union all
      select c.channel_id, ${AT_STORE} when ${differs} then 'differs' else 'in_step' end
        from p
        join channel c
          on c.seller_id = ${seller_id}
        left join channel_link l
          on l.seller_id = ${seller_id}
         and l.channel_id = c.channel_id
         and l.product_id = p.product_id
       where c.status <> 'ended'
          or l.link_id is not null)
    select channel_id, state, count(*)::int as count, (select max(product_id) from p) as last
      from listed
     group by channel_id, state`);
