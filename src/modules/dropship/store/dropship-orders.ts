/** Dropship orders with their lines and facts. No table holds an address. */
import type { Acting, Actor } from '../../../kernel/context.ts';
import {
  instant,
  integer,
  json,
  money,
  nullable,
  type RowOf,
  text,
  textOf,
  texts,
  textsOf,
} from '../../../platform/db/columns.ts';
import { allOf, command, type Part, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { Attention } from '../domain/attention.ts';
import type { DropshipStatus, Fact } from '../domain/fold.ts';
import type { Acceptance } from '../domain/mirror.ts';

export const dropshipOrders = defineTable('dropship_order', 'dropship_order_id', {
  order_id: text,
  order_number: text,
  supplier_id: text,
  supplier_name: text,
  currency: text,
  status: textOf<DropshipStatus>(),
  attention: textsOf<Attention>(),
  sent_at: nullable(instant),
  respond_by: nullable(instant),
  act_by: nullable(instant),
  fee_minor: money,
  freight_minor: nullable(money),
});
export type DropshipRow = RowIn<typeof dropshipOrders>;

const line = {
  dropship_order_id: text,
  order_line_id: text,
  line_no: integer,
  product_id: text,
  listing_id: text,
  supplier_item_id: text,
  supplier_sku: text,
  seller_sku: nullable(text),
  title: nullable(text),
  unit_cost_minor: money,
  ...{ routed: integer, queued: integer, sent: integer, accepted_open: integer, shipped: integer },
  ...{ returned: integer, cancelled: integer, shipped_after_cancel: integer, closed: integer },
  acceptances: json<readonly Acceptance[]>(),
  last_accepted_at: nullable(instant),
  cost_units: integer,
  cost_minor: money,
  cost_missing: texts,
};
export const dropshipLines = defineTable('dropship_order_line', ['dropship_order_id', 'order_line_id'], line);
export type DropshipLineRow = RowIn<typeof dropshipLines>;

const fact = {
  dropship_order_id: text,
  position: integer,
  fact_id: text,
  fact: json<Fact>(),
  actor_kind: textOf<Actor['kind']>(),
  actor_id: nullable(text),
  recorded_at: instant,
};
export const dropshipFacts = defineTable('dropship_fact', ['dropship_order_id', 'position'], fact);

/** A dropship order with its parts. */
export interface DropshipOrder {
  readonly row: DropshipRow;
  readonly lines: readonly DropshipLineRow[];
  readonly facts: readonly Fact[];
}

/** The lines and the facts of dropship orders. */
export async function withParts(at: SellerDb, rows: readonly DropshipRow[]): Promise<DropshipOrder[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ dropship_order_id }) => dropship_order_id);
  const [lines, facts] = await Promise.all([
    dropshipLines.all(at, part`dropship_order_id = any(${ids}) order by line_no, order_line_id`),
    dropshipFacts.all(at, part`dropship_order_id = any(${ids}) order by position`),
  ]);
  return rows.map((row) => {
    const isOfRow = (one: { readonly dropship_order_id: string }): boolean =>
      one.dropship_order_id === row.dropship_order_id;
    return {
      row,
      lines: lines.filter(isOfRow),
      facts: facts.filter(isOfRow).map((one) => one.fact),
    };
  });
}

/** Locks the dropship orders of an order, whose own lock the caller holds. */
export async function lockOfOrder(at: SellerDb, orderId: string): Promise<DropshipOrder[]> {
  const tail = part`order_id = ${orderId} order by dropship_order_id for update`;
  return withParts(at, await at.db.all(dropshipOrders.select(at.seller_id, tail)));
}

/** Adds facts after those that were recorded before. */
export async function appendFacts(
  ctx: Acting,
  dropship_order_id: string,
  known: number,
  facts: readonly Fact[],
): Promise<void> {
  const { kind: actor_kind, id: actor_id } = ctx.by;
  await dropshipFacts.appendMany(
    ctx,
    facts.map((one, index) => ({
      ...{ dropship_order_id, position: known + index + 1, fact_id: one.fact_id, fact: one },
      ...{ actor_kind, actor_id, recorded_at: ctx.at() },
    })),
  );
}

/** The condition of the facts of a dropship order. */
export const factsOf = (dropshipOrderId: string): Part => part`dropship_order_id = ${dropshipOrderId}`;

/** The condition of a list. */
export const listedOrders = (asked: {
  readonly status?: string | undefined;
  readonly attention?: string | undefined;
  readonly supplier_id?: string | undefined;
  readonly order_id?: string | undefined;
}): Part =>
  allOf(
    asked.status !== undefined && part`status = ${asked.status}`,
    asked.attention !== undefined && part`attention @> array[${asked.attention}::text]`,
    asked.supplier_id !== undefined && part`supplier_id = ${asked.supplier_id}`,
    asked.order_id !== undefined && part`order_id = ${asked.order_id}`,
  );

const offer = {
  ...{ product_id: text, listing_id: text, supplier_item_id: text, supplier_id: text },
  ...{ supplier_name: text, currency: text },
  unit_cost_minor: money,
  fee_minor: money,
};
export type Offer = RowOf<typeof offer>;

/** The live listings of products, with what the suppliers ask. */
export const offersOf = ({ db, seller_id }: SellerDb, productIds: readonly string[]): Promise<Offer[]> =>
  db.all(statement(offer)`
    select l.product_id, l.listing_id, l.supplier_item_id, l.supplier_id, o.supplier_name, o.currency,
           coalesce(o.unit_cost_minor, l.unit_cost_minor) as unit_cost_minor,
           coalesce(o.fee_minor, l.fee_minor) as fee_minor
      from dropship_listing l
      join v_supply_dropship o
        on o.supplier_item_id = l.supplier_item_id
     where l.seller_id = ${seller_id}
       and l.product_id = any(${productIds})
       and l.status <> 'ended'
     order by l.listing_id`);

/** Notes that the supplier has no unit of the items of listings at an instant. It locks them in the order of their ids. */
export async function emptyListings(
  { db, seller_id }: SellerDb,
  listingIds: readonly string[],
  at: string,
): Promise<void> {
  await db.run(command`
    update dropship_listing l
       set empty_at = greatest(l.empty_at, ${at}::timestamptz)
      from (select listing_id
              from dropship_listing
             where seller_id = ${seller_id}
               and listing_id = any(${listingIds})
             order by listing_id
               for update) k
     where l.seller_id = ${seller_id}
       and l.listing_id = k.listing_id`);
}

/** The ids of the dropship orders of orders. */
export async function idsOfOrders(
  { db, seller_id }: SellerDb,
  orderIds: readonly string[],
): Promise<string[]> {
  const rows = await db.all(statement({ dropship_order_id: text })`
    select dropship_order_id
      from dropship_order
     where seller_id = ${seller_id}
       and order_id = any(${orderIds})`);
  return rows.map(({ dropship_order_id }) => dropship_order_id);
}
