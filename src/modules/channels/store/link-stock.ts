/** How far the stock of each link is. Its lock comes before that of the product's stock. */

import { textArray } from '../../../platform/db/arrays.ts';
import {
  bigint,
  boolean,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { asRelation, type SellerDb } from '../../../platform/db/table.ts';
import type { LinkState } from '../domain/link-words.ts';
import { links } from './links.ts';

const STOCK_OF_LINK = {
  link_id: text,
  state: textOf<LinkState>(),
  product_id: nullable(text),
  inventory_item_id: nullable(text),
  /** The store's quantity when it was last applied; null: the next one becomes the base. */
  base_level: nullable(bigint),
  shortfall: bigint,
  /** Whether a quantity was applied since the variant was linked. */
  counted: boolean,
  /** Number of the rule by which it was counted last. */
  counted_by: integer,
  /** In which connection the store was asked for its levels at all locations; 0: in none. */
  asked_in: integer,
};
export type LinkStockRow = RowOf<typeof STOCK_OF_LINK>;

const linksWhere = (sellerId: string, tail: Part) => statement(STOCK_OF_LINK)`
  select link_id, state, product_id, inventory_item_id, base_level, shortfall, counted, counted_by, asked_in
    from channel_link
   where seller_id = ${sellerId}
     and ${tail}`;

/** Locks links in one order, as all who lock several. */
export const lockLinks = ({ db, seller_id }: SellerDb, linkIds: readonly string[]): Promise<LinkStockRow[]> =>
  db.all(linksWhere(seller_id, part`link_id = any(${linkIds}) order by link_id for update`));

/** The same for the links of items. */
export const lockLinksOf = (
  { db, seller_id }: SellerDb,
  channelId: string,
  items: readonly string[],
): Promise<LinkStockRow[]> =>
  db.all(
    linksWhere(
      seller_id,
      part`channel_id = ${channelId} and inventory_item_id = any(${items}) order by link_id for update`,
    ),
  );

export const linkOfItem = (
  { db, seller_id }: SellerDb,
  channelId: string,
  item: string,
): Promise<LinkStockRow | undefined> =>
  db.one(linksWhere(seller_id, part`channel_id = ${channelId} and inventory_item_id = ${item}`));

/** The links of items, which are not locked. */
export const linksOfItems = (
  { db, seller_id }: SellerDb,
  channelId: string,
  items: readonly string[],
): Promise<LinkStockRow[]> =>
  db.all(linksWhere(seller_id, part`channel_id = ${channelId} and inventory_item_id = any(${items})`));

/** The last link of a batch, by the number that orders the batches. Each batch begins after the one before. */
export interface BatchEnd {
  readonly no: number;
  readonly link_id: string;
}
export const FIRST_BATCH: BatchEnd = { no: -1, link_id: '' };

/**
 * Links that an older rule has counted, or none yet, also those whose variant is gone. They are read in the order of their
 * rules: a link that has caught up comes later in the index, so no batch reads the entries of an earlier one again.
 */
export const linksBehind = (
  { db, seller_id }: SellerDb,
  channelId: string,
  rule: number,
  { no, link_id }: BatchEnd,
  limit: number,
): Promise<LinkStockRow[]> =>
  db.all(
    linksWhere(
      seller_id,
      part`
        channel_id = ${channelId}
        and product_id is not null
        and counted_by < ${rule}
        and (counted_by, link_id) > (${no}::int, ${link_id})
        order by counted_by, link_id
        limit ${limit}`,
    ),
  );

/** Linked variants for whose levels the store was not asked in a connection, in the order of their last one. */
export const unaskedLinks = (
  { db, seller_id }: SellerDb,
  channelId: string,
  connection: number,
  { no, link_id }: BatchEnd,
  limit: number,
): Promise<LinkStockRow[]> =>
  db.all(
    linksWhere(
      seller_id,
      part`
        channel_id = ${channelId}
        and state = 'linked'
        and inventory_item_id is not null
        and asked_in < ${connection}
        and (asked_in, link_id) > (${no}::int, ${link_id})
        order by asked_in, link_id
        limit ${limit}`,
    ),
  );

/** Here links are written without a new version: how far a stock is, is no change of what a link links. */
const COUNTED = { link_id: text, base_level: nullable(bigint), shortfall: bigint };

/** The links were counted by a rule. */
export async function saveStock(
  { db, seller_id }: SellerDb,
  rows: readonly RowOf<typeof COUNTED>[],
  rule: number,
): Promise<void> {
  const { from, element } = asRelation(COUNTED, rows);
  await db.run(command`
    update channel_link l
       set base_level = ${raw(element('base_level'))},
           shortfall = ${raw(element('shortfall'))},
           counted = true,
           counted_by = ${rule}
      from ${from} as u (link_id, base_level, shortfall)
     where l.seller_id = ${seller_id}
       and l.link_id = u.link_id`);
}

/** The links are up with a rule, also those that nothing was applied to. */
export const markCaughtUp = (at: SellerDb, linkIds: readonly string[], rule: number): Promise<number> =>
  links.change(at, part`counted_by = ${rule}`, part`link_id = any(${linkIds})`);

/** The store says that the item of a link is this one. It is asked for the levels. */
export const setItem = (at: SellerDb, linkId: string, item: string): Promise<number> =>
  links.change(at, part`inventory_item_id = ${item}, asked_in = 0`, part`link_id = ${linkId}`);

/** Links go on where others ended, which may be themselves. The store is asked for their levels. */
export async function continueCounting(
  { db, seller_id }: SellerDb,
  pairs: readonly { readonly link_id: string; readonly ended_id: string }[],
): Promise<void> {
  if (pairs.length === 0) return;
  await db.run(command`
    update channel_link l
       set base_level = e.base_level, shortfall = e.shortfall, counted = e.counted, counted_by = e.counted_by,
           asked_in = 0
      from unnest(${textArray(pairs.map(({ link_id }) => link_id))}::text[],
                  ${textArray(pairs.map(({ ended_id }) => ended_id))}::text[]) as u (link_id, ended_id)
      join channel_link e
        on e.seller_id = ${seller_id}
       and e.link_id = u.ended_id
     where l.seller_id = ${seller_id}
       and l.link_id = u.link_id`);
}

/** The links were made anew: the next quantity of the store is the first. */
export const startCounting = (at: SellerDb, linkIds: readonly string[]): Promise<number> =>
  links.change(
    at,
    part`base_level = null, shortfall = 0, counted = false, asked_in = 0`,
    part`link_id = any(${linkIds})`,
  );

/** @param items for which the store was asked; a link that got another one meanwhile waits */
export const markAsked = (
  at: SellerDb,
  linkIds: readonly string[],
  items: readonly string[],
  connection: number,
): Promise<number> =>
  links.change(
    at,
    part`asked_in = ${connection}`,
    part`link_id = any(${linkIds}) and inventory_item_id = any(${items})`,
  );

/** Whether something that is said about a known level of an item waits for its decision, or was given up. */
export async function isUndecided(
  { db, seller_id }: SellerDb,
  channelId: string,
  item: string,
): Promise<boolean> {
  const row = await db.one(statement({ location_id: text })`
    select v.location_id
      from channel_level v
     where v.seller_id = ${seller_id}
       and v.channel_id = ${channelId}
       and v.inventory_item_id = ${item}
       and (exists (
              select
                from channel_delivery d
               where d.seller_id = v.seller_id
                 and d.channel_id = v.channel_id
                 and d.object_key = 'level:' || v.inventory_item_id || ':' || v.location_id
                 and d.status = 'received')
         or exists (
              select
                from integration_issue i
               where i.seller_id = v.seller_id
                 and i.channel_id = v.channel_id
                 and i.kind = 'not_applied'
                 and i.external_key = 'level:' || v.inventory_item_id || ':' || v.location_id
                 and i.state = 'open'))
     limit 1`);
  return row !== undefined;
}
