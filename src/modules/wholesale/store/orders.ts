/** Purchase orders, their lines and their facts. */
import type { Actor } from '../../../kernel/context.ts';
import {
  bigint,
  boolean,
  date,
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
import { lockName } from '../../../platform/db/lock-name.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { ItemTerms } from '../../supply/index.ts';
import type { Fact, PurchaseStatus } from '../domain/purchase.ts';

export type CloseReason = 'not_coming' | 'found_elsewhere' | 'defective' | 'other';
export type ShipTo = Readonly<Record<string, string | null>>;

export const purchases = defineTable('purchase_order', 'purchase_order_id', {
  number: integer,
  supplier_id: text,
  supplier_name: text,
  status: textOf<PurchaseStatus>(),
  origin: textOf<'manual' | 'quote'>(),
  rfq_id: nullable(text),
  quoted_freight: nullable(json<{ readonly flat: number | null; readonly free_from: number | null }>()),
  reference: nullable(text),
  note: nullable(text),
  currency: text,
  goods_minor: money,
  stated_freight_minor: nullable(money),
  freight_minor: nullable(money),
  freight_cap_minor: nullable(money),
  payment_terms: nullable(text),
  ship_to: nullable(json<ShipTo>()),
  requested_on: nullable(date),
  submitted_at: nullable(instant),
  answer_by: nullable(instant),
  closed_at: nullable(instant),
  close_reason: nullable(textOf<CloseReason>()),
  overdue_told: nullable(date),
});
export type PurchaseRow = RowIn<typeof purchases>;

export const lines = defineTable('purchase_line', ['purchase_line_id'], {
  purchase_line_id: text,
  purchase_order_id: text,
  line_no: integer,
  supplier_item_id: text,
  supplier_sku: text,
  title: text,
  product_id: nullable(text),
  pack_size: integer,
  quoted_terms: nullable(json<ItemTerms>()),
  ordered_price_minor: money,
  pack_price_minor: money,
  ordered: integer,
  unconfirmed: integer,
  confirmed: integer,
  received: integer,
  cancelled: integer,
  shipped: integer,
  rejected_at_receipt: integer,
  promised_on: nullable(date),
  cost_from: nullable(date),
  cost_micros: nullable(bigint),
  cost_missing: textsOf<'inbound_freight'>(),
  cost_recorded_at: nullable(instant),
});
export type LineRow = RowIn<typeof lines>;

export const facts = defineTable('purchase_fact', ['purchase_order_id', 'fact_id'], {
  purchase_order_id: text,
  fact_id: text,
  happened_at: instant,
  fact: json<Fact>(),
  actor: json<Actor>(),
  recorded_at: instant,
});
export type FactRow = RowIn<typeof facts>;

/** An order with its lines and facts. */
export interface Purchase {
  readonly order: PurchaseRow;
  readonly lines: readonly LineRow[];
  readonly facts: readonly FactRow[];
}

/** The lines of several orders. */
export const linesOfOrders = (at: SellerDb, orderIds: readonly string[]): Promise<LineRow[]> =>
  lines.all(at, part`purchase_order_id = any(${orderIds}) order by purchase_order_id, line_no`);

/** An order whose row was read. */
export async function withLines(at: SellerDb, order: PurchaseRow): Promise<Purchase> {
  const { purchase_order_id: id } = order;
  const [ownLines, ownFacts] = await Promise.all([
    linesOfOrders(at, [id]),
    at.db.all(facts.select(at.seller_id, part`purchase_order_id = ${id} order by happened_at, fact_id`)),
  ]);
  return { order, lines: ownLines, facts: ownFacts };
}

/** Reads an order; with a lock it stays as it is until the transaction ends. */
export async function findPurchase(
  at: SellerDb,
  orderId: string,
  lock?: 'for update',
): Promise<Purchase | undefined> {
  const order = await purchases.find(at, { purchase_order_id: orderId }, lock);
  return order && withLines(at, order);
}

/** The next number of the seller. Numbers rise; those of deleted drafts are not used again. */
export async function nextNumber({ db, seller_id }: SellerDb): Promise<number> {
  const row = await db.one(statement({ last: integer })`
    insert into purchase_number as n (seller_id, last)
    values (${seller_id}, 1)
        on conflict (seller_id) do update set last = n.last + 1
    returning last`);
  return row?.last ?? 1;
}

export const deleteLines = (at: SellerDb, orderId: string): Promise<number> =>
  lines.deleteWhere(at, part`purchase_order_id = ${orderId}`);

/** Counts the open orders. A lock keeps the count until the transaction ends. */
export async function lockOpenCount({ db, seller_id }: SellerDb): Promise<number> {
  await lockName(db, `purchase_orders/${seller_id}`);
  const row = await db.one(statement({ used: integer })`
    select count(*)::integer as used
      from purchase_order
     where seller_id = ${seller_id}
       and status in ('submitted', 'confirmed', 'partially_received')`);
  return row?.used ?? 0;
}

/** What a list shows of the lines of an order. */
const digest = {
  purchase_order_id: text,
  unmapped: boolean,
  unconfirmed: boolean,
  /** The earliest promised day of units that are owed. */
  promised_on: nullable(date),
};
export type LinesDigest = RowOf<typeof digest>;

export async function digestsOf(
  { db, seller_id }: SellerDb,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, LinesDigest>> {
  const rows = await db.all(statement(digest)`
    select purchase_order_id,
           bool_or(product_id is null) as unmapped,
           bool_or(unconfirmed > 0) as unconfirmed,
           min(promised_on) filter (where unconfirmed + confirmed > 0) as promised_on
      from purchase_line
     where seller_id = ${seller_id}
       and purchase_order_id = any(${orderIds})
     group by purchase_order_id`);
  return new Map(rows.map((row) => [row.purchase_order_id, row]));
}

/** The SKUs of the seller's products. */
export async function skusOf(
  { db, seller_id }: SellerDb,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (productIds.length === 0) return new Map();
  const rows = await db.all(statement({ product_id: text, seller_sku: text })`
    select product_id, seller_sku
      from v_products_offered
     where seller_id = ${seller_id}
       and product_id = any(${productIds})`);
  return new Map(rows.map(({ product_id, seller_sku }) => [product_id, seller_sku]));
}

interface Filters {
  readonly status?: PurchaseStatus | undefined;
  readonly supplier_id?: string | undefined;
  readonly product_id?: string | undefined;
  readonly overdue?: boolean | undefined;
  readonly updated_since?: string | undefined;
}

/** The condition that a line of the order meets another one. */
const hasLine = (condition: Part): Part => part`exists (
            select
              from purchase_line l
             where l.seller_id = purchase_order.seller_id
               and l.purchase_order_id = purchase_order.purchase_order_id
               and ${condition})`;

/** The condition of a list of orders. @param today the day in Sydney */
export function listed(
  { status, supplier_id, product_id, overdue, updated_since }: Filters,
  now: string,
  today: string,
): Part | undefined {
  const late = part`status in ('submitted', 'confirmed', 'partially_received')
       and (answer_by <= ${now}::timestamptz and ${hasLine(part`l.unconfirmed > 0`)}
            or ${hasLine(part`l.promised_on < ${today}::date and l.unconfirmed + l.confirmed > 0`)})`;
  return allOf(
    status !== undefined && part`status = ${status}`,
    supplier_id !== undefined && part`supplier_id = ${supplier_id}`,
    product_id !== undefined && hasLine(part`l.product_id = ${product_id}`),
    overdue !== undefined && part`(${late}) is ${raw(overdue ? 'true' : 'not true')}`,
    updated_since !== undefined && part`updated_at >= ${updated_since}::timestamptz`,
  );
}

type Paged = Pick<Parameters<typeof purchases.page>[1], 'after' | 'limit'>;

/** A page of what happened to an order, by when the service learnt of it, the newest first. */
export const historyOf = (at: SellerDb, orderId: string, page: Paged): Promise<FactRow[]> =>
  facts.page(at, {
    ...page,
    where: part`purchase_order_id = ${orderId}`,
    ...{ order: ['recorded_at', 'fact_id'], descending: true },
  });

/** A page of the orders that were created from an instant on and before another, the newest first. */
export const createdBetween = (
  at: SellerDb,
  { start, end }: { readonly start: string | undefined; readonly end: string | undefined },
  page: Paged,
): Promise<PurchaseRow[]> =>
  purchases.page(at, {
    ...page,
    where: allOf(
      start !== undefined && part`created_at >= ${start}::timestamptz`,
      end !== undefined && part`created_at < ${end}::timestamptz`,
    ),
    ...{ order: ['purchase_order_id'], descending: true },
  });
