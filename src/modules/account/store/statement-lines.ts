/** Lines of the seller's statement, and the orders to which they belong. */
import { textArray } from '../../../platform/db/arrays.ts';
import {
  boolean,
  date,
  instant,
  integer,
  money,
  nullable,
  type RowOf,
  text,
  textOf,
} from '../../../platform/db/columns.ts';
import { allOf, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { type Bucket, bucketOf, type Component, ENTRY_TYPES, type EntryType } from '../../ledger/index.ts';
import type { Account } from './figures.ts';

const line = {
  entry_id: text,
  /** Place in the seller's ledger, digits. */
  position: text,
  type: textOf<EntryType>(),
  component: nullable(textOf<Component>()),
  bucket: textOf<Bucket>(),
  order_id: nullable(text),
  /** Null for an order that only the ledger knows. */
  order_number: nullable(text),
  order_line_id: nullable(text),
  seller_sku: nullable(text),
  quantity: nullable(integer),
  /** From the seller's side. */
  amount: money,
  currency: text,
  rate_bps: nullable(integer),
  posted_on: date,
  available_on: date,
  related_id: nullable(text),
  description: nullable(text),
  late: boolean,
  occurred_at: instant,
  settlement_id: nullable(text),
  settlement_status: nullable(text),
};
export type Line = RowOf<typeof line>;

/**
 * Lines of entries with their journal, order, order line and settlement. Each of them is looked up by itself: for a
 * seller without statistics a planner may join all orders to each line. `offset 0` keeps the look-ups separate.
 */
function linesOf(sellerId: string, entries: Part, order: Part) {
  const found = (columns: string, view: string, column: string): Part => part`
         (select ${raw(columns)}
            from ${raw(view)}
           where seller_id = ${sellerId}
             and ${raw(column)} = e.${raw(column)}
          offset 0)`;
  return statement(line)`
  select e.entry_id, e.position::text as position, e.type, e.component, e.bucket, e.order_id, n.order_number, e.order_line_id,
         l.seller_sku, e.quantity, -e.amount_minor as amount, e.currency, e.rate_bps, e.posted_on, e.available_on,
         e.related_id, e.description, e.late, j.occurred_at, s.settlement_id, s.status as settlement_status
    from (${entries}) e
   cross join lateral ${found('occurred_at', 'v_ledger_journal', 'journal_id')} j
    left join lateral ${found('seller_sku', 'v_orders_line', 'order_line_id')} l on true
    left join lateral ${found('order_number', 'v_orders_sold', 'order_id')} n on true
    left join lateral ${found('settlement_id', 'v_settlements_line', 'entry_id')} sl on true
    left join v_settlements_settlement s
      on s.seller_id = ${sellerId}
     and s.settlement_id = sl.settlement_id
   order by ${order}`;
}

interface LineFilter {
  readonly currency?: string | undefined;
  readonly order_id?: string | undefined;
  readonly type?: readonly string[] | undefined;
  readonly bucket?: string | undefined;
  readonly related_id?: string | undefined;
  readonly settlement_id?: string | undefined;
  /** Sydney days on which the line counts, both included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The day and the place of the last line of the previous page. */
export type EntryPosition = readonly [posted_on: string, position: string];

const matches = (sellerId: string, filter: LineFilter): Part =>
  allOf(
    part`seller_id = ${sellerId}`,
    part`bucket is not null`,
    filter.currency !== undefined && part`currency = ${filter.currency}`,
    filter.order_id !== undefined && part`order_id = ${filter.order_id}`,
    filter.related_id !== undefined && part`related_id = ${filter.related_id}`,
    filter.from !== undefined && part`posted_on >= ${filter.from}::date`,
    filter.to !== undefined && part`posted_on <= ${filter.to}::date`,
    filter.settlement_id !== undefined &&
      part`entry_id in (select x.entry_id
                          from v_settlements_line x
                         where x.seller_id = ${sellerId} and x.settlement_id = ${filter.settlement_id})`,
  );
const behind = (after: EntryPosition | undefined): Part | undefined =>
  after && part`(posted_on, position) < (${after[0]}::date, ${after[1]}::bigint)`;

/** The types that a filter names by type or bucket; undefined for all types. */
function typesOf({ type, bucket }: LineFilter): readonly string[] | undefined {
  if (bucket === undefined) return type && [...new Set(type)];
  return Object.keys(ENTRY_TYPES).filter(
    (one) => bucketOf(one as EntryType) === bucket && type?.includes(one) !== false,
  );
}

/** One page of lines and one more, the latest first. The page is cut before the other tables are read. */
export function listLines(
  { db, seller_id }: SellerDb,
  filter: LineFilter,
  after: EntryPosition | undefined,
  limit: number,
): Promise<Line[]> {
  const where = allOf(matches(seller_id, filter), behind(after));
  const types = typesOf(filter);
  const cut = part`order by posted_on desc, position desc limit ${limit + 1}::int`;
  // An index has the lines of one type in order. For several types at once, PostgreSQL would search for the rare ones.
  const page =
    types === undefined
      ? part`select * from v_ledger_entry where ${where} ${cut}`
      : part`
          select e.*
            from unnest(${textArray(types)}::text[]) as t (name)
           cross join lateral (select * from v_ledger_entry where ${where} and type = t.name ${cut}) e
           ${cut}`;
  return db.all(linesOf(seller_id, page, part`e.posted_on desc, e.position desc`));
}

/** All lines that were posted for orders, in the order of posting. */
export async function linesOfOrders(
  { db, seller_id }: SellerDb,
  orderIds: readonly string[],
): Promise<Line[]> {
  if (orderIds.length === 0) return [];
  const entries = part`
          select e.*
            from unnest(${textArray(orderIds)}::text[]) as o (order_id)
           cross join lateral (
                   select *
                     from v_ledger_entry
                    where seller_id = ${seller_id}
                      and order_id = o.order_id
                      and bucket is not null
                   offset 0) e`;
  return db.all(linesOf(seller_id, entries, part`e.position`));
}

/** A filter of orders. The days are those on which the first line of the order counts. */
export interface OrderFilter extends Pick<LineFilter, 'order_id' | 'from' | 'to'> {
  /** Orders with a line of this SKU. */
  readonly sku?: string | undefined;
}

const firstLine = { order_id: text, posted_on: date, position: text };
export type FirstLine = RowOf<typeof firstLine>;

/** One page of orders and one more, by their first line, the latest first. */
export function listOrdersWithLines(
  { db, seller_id, currency }: Account,
  { sku, ...lines }: OrderFilter,
  after: EntryPosition | undefined,
  limit: number,
): Promise<FirstLine[]> {
  const where = allOf(
    matches(seller_id, { ...lines, currency }),
    part`order_id is not null`,
    part`e.position = (select x.position
                         from v_ledger_entry x
                        where x.seller_id = ${seller_id}
                          and x.order_id = e.order_id
                          and x.bucket is not null
                        order by x.position
                        limit 1)`,
    sku !== undefined &&
      part`order_id in (select l.order_id
                          from v_orders_line l
                         where l.seller_id = ${seller_id} and l.seller_sku = ${sku})`,
    behind(after),
  );
  // This sorts by the number. The bare name would mean the text, in which 9 comes after 10.
  return db.all(statement(firstLine)`
    select order_id, posted_on, position::text as position
      from v_ledger_entry e
     where ${where}
     order by e.posted_on desc, e.position desc
     limit ${limit + 1}::int`);
}

const chargedBy = {
  /** Null until the rates are frozen. */
  fee_schedule_version: nullable(text),
  /** Whether the provider's fee is known. */
  fee_captured: boolean,
};
/** The fee rates of an order. */
export type ChargedBy = RowOf<typeof chargedBy>;

/** Reads the fee rates of orders. */
export async function termsOfOrders(
  { db, seller_id }: SellerDb,
  orderIds: readonly string[],
): Promise<Map<string, ChargedBy>> {
  const rows = await db.all(statement({ order_id: text, ...chargedBy })`
    select o.order_id, t.fee_schedule_version, o.fee_captured
      from v_orders_sold o
      left join v_ledger_terms t on t.seller_id = o.seller_id and t.order_id = o.order_id
     where o.seller_id = ${seller_id}
       and o.order_id = any(${textArray(orderIds)}::text[])`);
  return new Map(rows.map(({ order_id, ...terms }) => [order_id, terms]));
}
