/** How far the stock of each link is. Its lock comes before that of the product's stock. */
import {
  bigint,
  boolean,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { command, type Part, part, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { LinkState } from '../domain/link-words.ts';

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

export const lockLink = ({ db, seller_id }: SellerDb, linkId: string): Promise<LinkStockRow | undefined> =>
  db.one(linksWhere(seller_id, part`link_id = ${linkId} for update`));

export const linkOfItem = (
  { db, seller_id }: SellerDb,
  channelId: string,
  item: string,
): Promise<LinkStockRow | undefined> =>
  db.one(linksWhere(seller_id, part`channel_id = ${channelId} and inventory_item_id = ${item}`));

/** The links, as they are now. */
export const stockOfLinks = (
  { db, seller_id }: SellerDb,
  linkIds: readonly string[],
): Promise<LinkStockRow[]> => db.all(linksWhere(seller_id, part`link_id = any(${linkIds})`));

/** Linked variants that an older rule has counted. */
export const linksBehind = (
  { db, seller_id }: SellerDb,
  channelId: string,
  rule: number,
  limit: number,
): Promise<LinkStockRow[]> =>
  db.all(
    linksWhere(
      seller_id,
      part`channel_id = ${channelId} and state = 'linked' and counted_by < ${rule} limit ${limit}`,
    ),
  );

/** Linked variants for whose levels the store was not asked in a connection. */
export const unaskedLinks = (
  { db, seller_id }: SellerDb,
  channelId: string,
  connection: number,
  limit: number,
): Promise<LinkStockRow[]> =>
  db.all(
    linksWhere(
      seller_id,
      part`
        channel_id = ${channelId}
        and state = 'linked'
        and asked_in < ${connection}
        and inventory_item_id is not null
        limit ${limit}`,
    ),
  );

/** Writes without a new version of the link: it is no change of what it links. */
const write =
  (set: Part) =>
  ({ db, seller_id }: SellerDb, where: Part) =>
    db.run(command`
    update channel_link
       set ${set}
     where seller_id = ${seller_id}
       and ${where}`);

export const saveStock = (
  at: SellerDb,
  linkId: string,
  { base, shortfall }: { readonly base: number | null; readonly shortfall: number },
  rule: number,
): Promise<number> =>
  write(part`base_level = ${base}, shortfall = ${shortfall}, counted = true, counted_by = ${rule}`)(
    at,
    part`link_id = ${linkId}`,
  );

/** The links are up with a rule, also those that nothing was applied to. */
export const markCaughtUp = (at: SellerDb, linkIds: readonly string[], rule: number): Promise<number> =>
  write(part`counted_by = ${rule}`)(at, part`link_id = any(${linkIds})`);

/** The store says that the item of a link is this one. */
export const setItem = (at: SellerDb, linkId: string, item: string): Promise<number> =>
  write(part`inventory_item_id = ${item}`)(at, part`link_id = ${linkId}`);

/** A link goes on where another one ended, which may be itself. The store is asked for its levels. */
export async function continueCounting(
  { db, seller_id }: SellerDb,
  endedId: string,
  linkId: string,
): Promise<void> {
  await db.run(command`
    update channel_link l
       set base_level = e.base_level, shortfall = e.shortfall, counted = e.counted, counted_by = e.counted_by,
           asked_in = 0
      from channel_link e
     where l.seller_id = ${seller_id}
       and l.link_id = ${linkId}
       and e.seller_id = ${seller_id}
       and e.link_id = ${endedId}`);
}

/** The links were made anew: the next quantity of the store is the first. */
export const startCounting = (at: SellerDb, linkIds: readonly string[]): Promise<number> =>
  write(part`base_level = null, shortfall = 0, counted = false, asked_in = 0`)(
    at,
    part`link_id = any(${linkIds})`,
  );

/** @param items for which the store was asked; a link that got another one meanwhile waits */
export const markAsked = (
  at: SellerDb,
  linkIds: readonly string[],
  items: readonly string[],
  connection: number,
): Promise<number> =>
  write(part`asked_in = ${connection}`)(
    at,
    part`link_id = any(${linkIds}) and inventory_item_id = any(${items})`,
  );
