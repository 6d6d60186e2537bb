import type { Db } from '../../../kernel/context.ts';
import {
  bigint,
  instant,
  integer,
  json,
  money,
  nullable,
  type RowOf,
  text,
  textOf,
  textsOf,
} from '../../../platform/db/columns.ts';
import { allOf, type Part, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { ListingStatus } from '../domain/listing-machine.ts';
import type { Acceptance, PausedReason, Told } from '../domain/mirror.ts';

export const listings = defineTable('dropship_listing', 'listing_id', {
  product_id: text,
  supplier_item_id: text,
  supplier_id: text,
  status: textOf<ListingStatus>(),
  paused_reasons: textsOf<PausedReason>(),
  buffer_units: integer,
  unit_cost_minor: money,
  fee_minor: money,
  empty_at: nullable(instant),
});
export type ListingRow = RowIn<typeof listings>;

const TOLD = {
  listing_id: text,
  supplier_name: text,
  currency: text,
  available: nullable(integer),
  available_as_of: nullable(instant),
  item_status: textOf<Told['item_status']>(),
  supplier_status: textOf<Told['supplier_status']>(),
  /** What the supplier asks now; null: the item is no longer for dropship. */
  asked_cost_minor: nullable(money),
  asked_fee_minor: nullable(money),
  quantity_on_hand: nullable(integer),
  quantity_reserved: integer,
  unanswered: bigint,
  acceptances: json<readonly Acceptance[]>(),
};
export type ToldRow = RowOf<typeof TOLD>;

/**
 * What the supplier says about the items of listings, and what the seller has promised of them. Read it after the lock
 * of the stock: only then are the units of every order in it.
 */
export async function readTold(
  { db, seller_id }: SellerDb,
  listingIds: readonly string[],
): Promise<ReadonlyMap<string, ToldRow>> {
  const rows = await db.all(statement(TOLD)`
    select l.listing_id, o.supplier_name, o.currency, o.available, o.available_as_of, o.item_status,
           o.supplier_status, o.unit_cost_minor as asked_cost_minor, o.fee_minor as asked_fee_minor,
           k.quantity_on_hand, coalesce(k.quantity_reserved, 0) as quantity_reserved,
           coalesce(u.units, 0) as unanswered, coalesce(a.accepted, '[]'::jsonb) as acceptances
      from dropship_listing l
      join v_supply_dropship o
        on o.supplier_item_id = l.supplier_item_id
      left join v_products_stock k
        on k.seller_id = l.seller_id
       and k.product_id = l.product_id
      left join lateral (
           select sum(v.supplied - v.supplied_accepted) as units
             from v_orders_supplied v
            where v.seller_id = l.seller_id
              and v.product_id = l.product_id) u on true
      left join lateral (
           select jsonb_agg(e.acceptance) as accepted
             from dropship_order_line d
            cross join jsonb_array_elements(d.acceptances) as e (acceptance)
            where d.seller_id = l.seller_id
              and d.supplier_item_id = l.supplier_item_id
              and d.last_accepted_at > coalesce(o.available_as_of, '-infinity')) a on true
     where l.seller_id = ${seller_id}
       and l.listing_id = any(${listingIds})`);
  return new Map(rows.map((row) => [row.listing_id, row]));
}

/** When the supplier last rejected units of an item as out of stock, of all listings; null: never. */
export async function emptyAt({ db, seller_id }: SellerDb, itemId: string): Promise<string | null> {
  const row = await db.one(statement({ at: nullable(instant) })`
    select max(empty_at) as at
      from dropship_listing
     where seller_id = ${seller_id}
       and supplier_item_id = ${itemId}
       and empty_at is not null`);
  return row?.at ?? null;
}

/** Locks listings in the order of their ids. Every writer locks listings before stock. */
export const lockListings = (at: SellerDb, listingIds: readonly string[]): Promise<ListingRow[]> =>
  listings.all(
    at,
    part`listing_id = any(${listingIds}) and status <> 'ended' order by listing_id for update`,
  );

/** The condition of a list. */
export const listed = (asked: {
  readonly status?: string | undefined;
  readonly paused_reason?: string | undefined;
  readonly supplier_id?: string | undefined;
  readonly product_id?: string | undefined;
}): Part =>
  allOf(
    asked.status !== undefined && part`status = ${asked.status}`,
    asked.paused_reason !== undefined && part`${asked.paused_reason} = any(paused_reasons)`,
    asked.supplier_id !== undefined && part`supplier_id = ${asked.supplier_id}`,
    asked.product_id !== undefined && part`product_id = ${asked.product_id}`,
  );

/** The sellers with live listings of a supplier's items. */
export async function sellersOf(db: Db, supplierId: string): Promise<string[]> {
  const rows = await db.all(statement({ seller_id: text })`
    select distinct seller_id
      from dropship_listing
     where supplier_id = ${supplierId}
       and status <> 'ended'
     order by seller_id`);
  return rows.map(({ seller_id }) => seller_id);
}

/** Live listings after an id, in the order of their ids. */
export const liveListings = (at: SellerDb, after: string, limit: number): Promise<ListingRow[]> =>
  listings.all(at, part`status <> 'ended' and listing_id > ${after} order by listing_id limit ${limit}`);

/** Units of orders of a product that wait for the supplier or were accepted by it and not sent. */
export async function unitsWithSupplier({ db, seller_id }: SellerDb, productId: string): Promise<number> {
  const row = await db.one(statement({ units: integer })`
    select coalesce(sum(supplied), 0)::integer as units
      from v_orders_supplied
     where seller_id = ${seller_id}
       and product_id = ${productId}`);
  return row?.units ?? 0;
}
