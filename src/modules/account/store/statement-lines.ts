/** Lines of the seller's statement; every statement names the seller. */

import type { Db } from '../../../kernel/context.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { Conditions } from '../../../platform/db/conditions.ts';
import { sql } from '../../../platform/db/sql.ts';
import { type Bucket, bucketOf, type Component, ENTRY_TYPES, type EntryType } from '../../ledger/index.ts';

export interface Line {
  readonly entry_id: string;
  /** Place in the seller's ledger, digits. */
  readonly position: string;
  readonly type: EntryType;
  readonly component: Component | null;
  readonly bucket: Bucket;
  readonly order_id: string | null;
  readonly order_line_id: string | null;
  readonly seller_sku: string | null;
  readonly quantity: number | null;
  /** Seen from the seller. */
  readonly amount: Minor;
  readonly currency: string;
  readonly rate_bps: number | null;
  readonly posted_on: string;
  readonly available_on: string;
  readonly related_id: string | null;
  readonly description: string | null;
  readonly late: boolean;
  readonly occurred_at: string;
  readonly settlement_id: string | null;
  readonly settlement_status: string | null;
}

const COLUMNS =
  'e.entry_id, e.position::text as position, e.type, e.component, e.bucket, e.order_id, e.order_line_id, l.seller_sku, ' +
  'e.quantity, -e.amount_minor as amount, e.currency, e.rate_bps, e.posted_on, e.available_on, e.related_id, e.description, ' +
  'e.late, j.occurred_at, s.settlement_id, s.status as settlement_status';
const BESIDE =
  'join v_ledger_journal j on j.seller_id = e.seller_id and j.journal_id = e.journal_id ' +
  'left join v_orders_line l on l.seller_id = e.seller_id and l.order_line_id = e.order_line_id ' +
  'left join v_settlements_line sl on sl.seller_id = e.seller_id and sl.entry_id = e.entry_id ' +
  'left join v_settlements_settlement s on s.seller_id = sl.seller_id and s.settlement_id = sl.settlement_id';

type Row = Omit<Line, 'amount'> & { readonly amount: bigint };
const toLine = ({ amount, ...row }: Row): Line => ({ ...row, amount: minor(amount) });

export interface LineFilter {
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

/** Day and place of the last line of the page before. */
export type EntryPosition = readonly [posted_on: string, position: string];

function filtered(sellerId: string, filter: LineFilter): Conditions {
  const where = new Conditions();
  where.add((p) => `seller_id = ${p}`, sellerId);
  where.fixed('bucket is not null');
  if (filter.currency !== undefined) where.add((p) => `currency = ${p}`, filter.currency);
  if (filter.order_id !== undefined) where.add((p) => `order_id = ${p}`, filter.order_id);
  if (filter.related_id !== undefined) where.add((p) => `related_id = ${p}`, filter.related_id);
  if (filter.from !== undefined) where.add((p) => `posted_on >= ${p}::date`, filter.from);
  if (filter.to !== undefined) where.add((p) => `posted_on <= ${p}::date`, filter.to);
  if (filter.settlement_id !== undefined)
    where.add(
      (p) =>
        `entry_id in (select x.entry_id from v_settlements_line x where x.seller_id = $1 and x.settlement_id = ${p})`,
      filter.settlement_id,
    );
  return where;
}

/** What a filter asks for by type or bucket; undefined: all lines. */
function typesOf({ type, bucket }: LineFilter): readonly string[] | undefined {
  if (bucket === undefined) return type && [...new Set(type)];
  return Object.keys(ENTRY_TYPES).filter(
    (one) => bucketOf(one as EntryType) === bucket && type?.includes(one) !== false,
  );
}

const LATEST_FIRST = 'order by posted_on desc, position desc';

/** One page and one line beyond it, the latest first; the page is cut before what stands beside its lines is read. */
export async function listLines(
  db: Db,
  sellerId: string,
  filter: LineFilter,
  after: EntryPosition | undefined,
  limit: number,
): Promise<Line[]> {
  const where = filtered(sellerId, filter);
  if (after !== undefined)
    where.fixed(`(posted_on, position) < (${where.value(after[0])}::date, ${where.value(after[1])}::bigint)`);
  const types = typesOf(filter);
  const cut = `${LATEST_FIRST} limit ${where.value(limit + 1)}::int`;
  // Each type by itself has its lines in order in an index; of all of them together the rare ones would be looked for.
  const page =
    types === undefined
      ? `select * from v_ledger_entry where ${where.text} ${cut}`
      : `select e.* from unnest(${where.value(textArray(types))}::text[]) as t (name) cross join lateral ` +
        `(select * from v_ledger_entry where ${where.text} and type = t.name ${cut}) e ${cut}`;
  const text = `select ${COLUMNS} from (${page}) e ${BESIDE} order by e.posted_on desc, e.position desc`;
  return (await db.all<Row>(sql(text, where.values))).map(toLine);
}

const OF_ORDERS =
  `select ${COLUMNS} from v_ledger_entry e ${BESIDE} where e.seller_id = $1 and e.order_id = any($2::text[]) ` +
  'and e.bucket is not null order by e.position';

/** Every line that was ever posted for orders, in the order of posting. */
export async function linesOfOrders(db: Db, sellerId: string, orderIds: readonly string[]): Promise<Line[]> {
  if (orderIds.length === 0) return [];
  return (await db.all<Row>(sql(OF_ORDERS, [sellerId, textArray(orderIds)]))).map(toLine);
}

export interface OrderFilter {
  readonly currency: string;
  readonly order_id?: string | undefined;
  /** Sydney days on which the first line of the order counts, both included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Orders with a line of this SKU. */
  readonly sku?: string | undefined;
}
export interface FirstLine {
  readonly order_id: string;
  readonly posted_on: string;
  readonly position: string;
}

/** One page of orders and one beyond it, by their first line, the latest first. */
export async function listOrdersWithLines(
  db: Db,
  sellerId: string,
  filter: OrderFilter,
  after: EntryPosition | undefined,
  limit: number,
): Promise<FirstLine[]> {
  const { sku, ...lines } = filter;
  const where = filtered(sellerId, lines);
  where.fixed('order_id is not null');
  where.fixed(
    'not exists (select from v_ledger_entry x where x.seller_id = e.seller_id and x.order_id = e.order_id ' +
      'and x.position < e.position and x.bucket is not null)',
  );
  if (sku !== undefined)
    where.add(
      (p) =>
        `order_id in (select l.order_id from v_orders_line l where l.seller_id = $1 and l.seller_sku = ${p})`,
      sku,
    );
  if (after !== undefined)
    where.fixed(`(posted_on, position) < (${where.value(after[0])}::date, ${where.value(after[1])}::bigint)`);
  const text =
    `select order_id, posted_on, position::text as position from v_ledger_entry e where ${where.text} ` +
    // By the number: the bare name would be that of the text, in which 9 is more than 10.
    `order by e.posted_on desc, e.position desc limit ${where.value(limit + 1)}::int`;
  return db.all<FirstLine>(sql(text, where.values));
}

const TERMS =
  'select o.order_id, t.fee_schedule_version, o.fee_captured from v_orders_sold o left join v_ledger_terms t ' +
  'on t.seller_id = o.seller_id and t.order_id = o.order_id where o.seller_id = $1 and o.order_id = any($2::text[])';

/** What an order is charged by. */
export interface ChargedBy {
  /** Null as long as nothing is frozen. */
  readonly fee_schedule_version: string | null;
  /** What the provider took is known. */
  readonly fee_captured: boolean;
}

/** What orders are charged by, by order. */
export async function termsOfOrders(
  db: Db,
  sellerId: string,
  orderIds: readonly string[],
): Promise<Map<string, ChargedBy>> {
  const rows = await db.all<ChargedBy & { readonly order_id: string }>(
    sql(TERMS, [sellerId, textArray(orderIds)]),
  );
  return new Map(rows.map(({ order_id, ...terms }) => [order_id, terms]));
}
