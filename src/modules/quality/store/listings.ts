/** What is kept of each product, and how far a seller's events were followed. */
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import {
  bigint,
  boolean,
  instant,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  textsOf,
} from '../../../platform/db/columns.ts';
import { allOf, command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import { type ListingSums, NO_SUMS } from '../domain/listing-sums.ts';
import { CODES, type Code } from '../domain/readiness.ts';

export const listings = defineTable('quality_product', ['product_id'], {
  product_id: text,
  ready: boolean,
  score: integer,
  codes: textsOf<Code>(),
  product_version: integer,
});
export type ListingRow = RowIn<typeof listings>;

export const listingsOf = (at: SellerDb, ids: readonly string[]): Promise<ListingRow[]> =>
  listings.all(at, part`product_id = any(${textArray(ids)}::text[])`);

export async function dropListings(at: SellerDb, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await listings.deleteWhere(at, part`product_id = any(${textArray(ids)}::text[])`);
}

/** Products that flipped within a feed run that has not ended. */
export type RunFlips = Readonly<Record<string, { readonly blocked: number; readonly ready: number }>>;

const PROGRESS = {
  /** The last event that was followed. */
  sequence: bigint,
  /** The last product of the first read of the catalogue; null once all were read. */
  filled_to: nullable(text),
  sums: json<ListingSums>(),
  runs: json<RunFlips>(),
  refreshed_at: nullable(instant),
};
export type Progress = RowOf<typeof PROGRESS>;

const ofSeller = ({ seller_id }: SellerDb, lock: Part) => statement(PROGRESS)`
  select sequence, filled_to, sums, runs, refreshed_at
    from quality_progress
   where seller_id = ${seller_id}
   ${lock}`;

export const readProgress = (at: SellerDb): Promise<Progress | undefined> => at.db.one(ofSeller(at, raw('')));

/** Takes the progress of a seller until the transaction ends; undefined while another worker has it. */
export async function takeProgress(at: SellerDb): Promise<Progress | undefined> {
  await at.db.run(command`
    insert into quality_progress (seller_id, sequence, filled_to, sums)
    values (${at.seller_id},
            coalesce((select last from v_platform_event_sequence where seller_id = ${at.seller_id}), 0), '',
            ${JSON.stringify(NO_SUMS)})
        on conflict do nothing`);
  return at.db.one(ofSeller(at, raw('for update skip locked')));
}

export async function saveProgress({ db, seller_id }: SellerDb, row: Progress): Promise<void> {
  await db.run(command`
    update quality_progress
       set sequence = ${row.sequence},
           filled_to = ${row.filled_to},
           sums = ${JSON.stringify(row.sums)},
           runs = ${JSON.stringify(row.runs)},
           refreshed_at = ${row.refreshed_at}
     where seller_id = ${seller_id}`);
}

/** SQL condition on an event `e`: it is about a product, or ends a feed run. */
const ABOUT = raw("(e.type like 'product.%' or e.type = 'feed_run.completed')");
/** The same, and it has a number. */
const FOLLOWED = part`(e.sequence > 0 and ${ABOUT})`;

const STATE = { sums: json<ListingSums>(), refreshed_at: nullable(instant), behind: boolean };
export type State = RowOf<typeof STATE>;

/**
 * What is known of the products of a seller; undefined before all were read.
 *
 * @param before an instant: `behind` says whether an event of before it was not followed yet, or has no number yet
 */
export const readState = ({ db, seller_id }: SellerDb, before: string): Promise<State | undefined> =>
  db.one(statement(STATE)`
    select q.sums, q.refreshed_at,
           exists (
             select from v_platform_event e
              where e.seller_id = ${seller_id}
                and e.sequence > q.sequence
                and e.created_at < ${before}::timestamptz
                and ${FOLLOWED})
           or exists (
             select from v_platform_event_unnumbered e
              where e.seller_id = ${seller_id}
                and e.created_at < ${before}::timestamptz
                and ${ABOUT}) as behind
      from quality_progress q
     where q.seller_id = ${seller_id}
       and q.filled_to is null`);

/** The number of the last round in which events got their numbers. */
export async function lastRound(db: Db): Promise<bigint> {
  const row = await db.one(statement({ round: bigint })`
    select round
      from v_platform_round`);
  return row?.round ?? 0n;
}

/** SQL condition on the numbers `n` of a seller: it got some after a round, or there is no round. */
const newSince = (round: bigint | undefined) =>
  allOf(round !== undefined && part`n.round > ${round}::bigint`);

/** Moves sellers on whose events since a round are about something else. */
export const passOthers = (db: Db, since: bigint | undefined) =>
  db.run(command`
    update quality_progress p
       set sequence = f.last
      from (select q.seller_id, n.last
              from v_platform_event_sequence n
              join quality_progress q
                on q.seller_id = n.seller_id
             where ${newSince(since)}
               and n.last > q.sequence
               and q.filled_to is null
               and not exists (
                   select from v_platform_event e
                    where e.seller_id = q.seller_id
                      and e.sequence > q.sequence
                      and e.sequence <= n.last
                      and ${FOLLOWED})
               for update of q skip locked) f
     where p.seller_id = f.seller_id`);

/**
 * Sellers whose products may have changed since a round, the one that has waited longest first; without a round all of
 * them, also those whose products were never read.
 */
export const sellersToRefresh = (since: bigint | undefined) => statement({ seller_id: text })`
  select s.seller_id
    from v_sellers_standing s
    left join quality_progress p
      on p.seller_id = s.seller_id
    left join v_platform_event_sequence n
      on n.seller_id = s.seller_id
   where ${newSince(since)}
     and (p.seller_id is null or p.filled_to is not null or n.last > p.sequence)
   order by p.refreshed_at nulls first`;

/** The next products of the catalogue, for the first read of all. */
export async function productsAfter({ db, seller_id }: SellerDb, after: string, limit: number) {
  const rows = await db.all(statement({ product_id: text })`
    select product_id
      from v_products_known
     where seller_id = ${seller_id}
       and product_id > ${after}
     order by product_id
     limit ${limit}`);
  return rows.map(({ product_id }) => product_id);
}

/** The next events, in the order of their numbers, and the number up to which they are all. */
export async function eventsAfter({ db, seller_id }: SellerDb, after: bigint, limit: number) {
  const known = await db.one(statement({ last: bigint })`
    select last
      from v_platform_event_sequence
     where seller_id = ${seller_id}`);
  const last = known?.last ?? after;
  const events = await db.all(statement({ sequence: bigint, type: text, object_id: text })`
    select e.sequence, e.type, e.object_id
      from v_platform_event e
     where e.seller_id = ${seller_id}
       and e.sequence > ${after}
       and e.sequence <= ${last}
       and ${FOLLOWED}
     order by e.sequence
     limit ${limit}`);
  return { events, upto: events.length < limit ? last : (events.at(-1)?.sequence ?? last) };
}

/** The condition of each code has an index of its own, so its text is constant. */
const HAS_CODE = Object.fromEntries(CODES.map((code) => [code, raw(`'${code}' = any(codes)`)])) as Readonly<
  Record<Code, Part>
>;

const LISTED = { ...listings.columns, seller_sku: nullable(text) };

interface Asked {
  readonly ready?: boolean;
  readonly code?: Code;
  readonly score_below?: number;
  readonly sort?: 'score' | '-score';
}

/** A page of products by score; none before all were read. Both halves of the index are read in its order, however many products there are. */
export function pageOfListings(
  { db, seller_id }: SellerDb,
  { ready, code, score_below, sort = 'score' }: Asked,
  { after, limit }: { readonly after: readonly (string | number)[] | undefined; readonly limit: number },
): Promise<RowOf<typeof LISTED>[]> {
  const [than, order] = sort === 'score' ? [raw('>'), raw('asc')] : [raw('<'), raw('desc')];
  const half = (isReady: boolean): Part => part`
    (select ${listings.list}
       from quality_product
      where seller_id = ${seller_id}
        and ready = ${isReady}
        and ${allOf(
          code !== undefined && HAS_CODE[code],
          score_below !== undefined && part`score < ${score_below}`,
          after && part`(score, product_id) ${than} (${after[0]}::integer, ${after[1]})`,
        )}
      order by score ${order}, product_id ${order}
      limit ${limit + 1})`;
  const rows = ready === undefined ? part`${half(true)} union all ${half(false)}` : half(ready);
  return db.all(statement(LISTED)`
    select l.*,
           (select p.seller_sku
              from v_products_conversation p
             where p.seller_id = ${seller_id}
               and p.product_id = l.product_id) as seller_sku
      from (${rows}) l
     where exists (select from quality_progress where seller_id = ${seller_id} and filled_to is null)
     order by l.score ${order}, l.product_id ${order}
     limit ${limit + 1}`);
}
