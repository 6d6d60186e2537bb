/** The lines of open and of closed settlements. */
import type { Db } from '../../../kernel/context.ts';
import {
  bigint,
  boolean,
  date,
  integer,
  json,
  money,
  nullable,
  type RowOf,
  text,
} from '../../../platform/db/columns.ts';
import { command, type Part, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { DELIVERY_LIST } from '../../ledger/index.ts';
import type { StatementState } from '../domain/settlement.ts';

/** How far the seller's statements are closed, by currency. A seller without lines has no statement. */
export const statementStates = ({ db, seller_id }: SellerDb): Promise<StatementState[]> =>
  db.all(statement({
    currency: text,
    closed_through: nullable(date),
    balance_minor: money,
    first_on: date,
  })`
    with recursive known as (
      select min(currency) as currency
        from v_ledger_day
       where seller_id = ${seller_id} and type <> ''
       union all
      select (select min(d.currency)
                from v_ledger_day d
               where d.seller_id = ${seller_id} and d.type <> '' and d.currency > k.currency)
        from known k
       where k.currency is not null)
    select k.currency, s.period_end as closed_through, coalesce(s.closing_balance_minor, 0) as balance_minor,
           (select min(d.posted_on)
              from v_ledger_day d
             where d.seller_id = ${seller_id} and d.type <> '' and d.currency = k.currency) as first_on
      from known k
      left join lateral (select period_end, closing_balance_minor
                           from settlement s
                          where s.seller_id = ${seller_id} and s.currency = k.currency
                          order by s.period_start desc
                          limit 1) s on true
     where k.currency is not null
     order by k.currency`);

/** The days whose lines belong to a period: from the day after the last close to the last day of the period. */
export interface LineRange {
  readonly currency: string;
  readonly closed_through: string | null;
  readonly through: string;
}

/**
 * The day after which a range begins. It is never null, because under row-level security PostgreSQL cannot use an
 * expression such as `coalesce` as the bound of an index, and would read all lines.
 */
export const beginsAfter = ({ closed_through }: LineRange): string => closed_through ?? '-infinity';

const DELIVERIES = raw(DELIVERY_LIST);
/** Whether a day is in a range. A line that a close has not settled is available after that close. */
const inDays = (range: LineRange, column = raw('available_on')): Part =>
  part`${column} > ${beginsAfter(range)}::date and ${column} <= ${range.through}::date`;
const inRange = (sellerId: string, range: LineRange, column?: Part): Part =>
  part`seller_id = ${sellerId} and bucket is not null and currency = ${range.currency} and ${inDays(range, column)}`;
const STATEMENT_ORDER = raw('posted_on, position');

/** One line of the hashed text: its id and type, its amount from the seller's side, and what it belongs to. */
const HASHED = part`
  entry_id || ' ' || type || ' ' || (-amount_minor) || ' ' || coalesce(order_id, '-') || ' ' ||
  coalesce(order_line_id, '-')`;
/** The seal of a line: the beginning of a digest, which shows whether the line was changed. */
export const SEAL = part`substr(sha256(convert_to(${HASHED}, 'UTF8')), 1, 8)`;

const lineTotals = {
  /** Sums from the seller's side, as JSON numbers. */
  by_type: json<Readonly<Record<string, { readonly lines: number; readonly amount_minor: number }>>>(),
  order_count: integer,
  line_count: integer,
  /** Null if it is not computed. */
  lines_sha256: nullable(text),
};
export type LineTotals = RowOf<typeof lineTotals>;

/** Totals of some lines with their digest. */
const hashed = (lines: Part, order: Part) => statement(lineTotals)`
  with l as materialized (${lines})
  select coalesce((select json_object_agg(t.type, json_build_object('lines', t.lines, 'amount_minor', t.amount))
                     from (select type, count(*) as lines, (-sum(amount_minor))::bigint as amount
                             from l
                            group by type) t), '{}') as by_type,
         (select count(distinct order_id) from l where type in ${DELIVERIES})::int as order_count,
         (select count(*) from l)::int as line_count,
         (select encode(sha256(convert_to(
                   coalesce(string_agg(${HASHED}, E'\\n' order by ${order}), ''), 'UTF8')), 'hex')
            from l) as lines_sha256`;

function requireRow(row: LineTotals | undefined): LineTotals {
  if (row === undefined) throw new Error('a sum has no row');
  return row;
}

/** Totals of a range with the digest of its lines. */
export async function hashedTotals({ db, seller_id }: SellerDb, range: LineRange): Promise<LineTotals> {
  const lines = part`
    select entry_id, type, order_id, order_line_id, amount_minor, posted_on, position
      from v_ledger_entry
     where ${inRange(seller_id, range)}`;
  return requireRow(await db.one(hashed(lines, STATEMENT_ORDER)));
}

/** Totals of a closed settlement with the digest of its lines, as the ledger has them now. */
export async function settledTotals({ db, seller_id }: SellerDb, settlementId: string): Promise<LineTotals> {
  const lines = part`
    select e.entry_id, e.type, e.order_id, e.order_line_id, e.amount_minor, l.row_no
      from settlement_line l
      join v_ledger_entry e on e.seller_id = ${seller_id} and e.entry_id = l.entry_id
     where l.seller_id = ${seller_id}
       and l.settlement_id = ${settlementId}`;
  return requireRow(await db.one(hashed(lines, raw('row_no'))));
}

/**
 * Totals of a range without the digest, from the sums by day. An order counts in the range of its first delivery. It is
 * counted once: by `first_sales`, or by a later sale if its first sale is in the same range.
 */
export async function rangeTotals({ db, seller_id }: SellerDb, range: LineRange): Promise<LineTotals> {
  const { currency } = range;
  const days = inDays(range);
  return requireRow(
    await db.one(statement(lineTotals)`
      with l as materialized (
        select type, amount_minor, entries, first_sales
          from v_ledger_day
         where seller_id = ${seller_id} and currency = ${currency} and type <> '' and ${days})
      select coalesce((select json_object_agg(t.type, json_build_object('lines', t.lines, 'amount_minor', t.amount))
                         from (select type, sum(entries) as lines, (-sum(amount_minor))::bigint as amount
                                 from l
                                group by type) t), '{}') as by_type,
             (coalesce((select sum(first_sales) from l), 0)
              + (select count(*)
                   from (select distinct order_id
                           from v_ledger_later_sale
                          where seller_id = ${seller_id} and currency = ${currency} and ${days}) o
                  where not exists (
                        select from (select available_on
                                       from v_ledger_entry x
                                      where x.seller_id = ${seller_id} and x.order_id = o.order_id
                                        and x.type in ${DELIVERIES}
                                      order by x.position + 0
                                      limit 1) f
                         where ${days})))::int as order_count,
             coalesce((select sum(entries) from l), 0)::int as line_count,
             null::text as lines_sha256`),
  );
}

/** Assigns the lines of a range to a settlement. @returns how many */
export const insertLines = (
  { db, seller_id }: SellerDb,
  range: LineRange,
  settlementId: string,
): Promise<number> =>
  db.run(command`
    insert into settlement_line (seller_id, entry_id, settlement_id, row_no, seal)
    select ${seller_id}::text, entry_id, ${settlementId}::text,
           row_number() over (order by ${STATEMENT_ORDER}), ${SEAL}
      from v_ledger_entry
     where ${inRange(seller_id, range)}`);

const lineRow = {
  row_no: integer,
  posted_on: date,
  position: bigint,
  /** The balance of the statement after this line. */
  running_balance_minor: money,
  transaction_id: text,
  type: text,
  component: nullable(text),
  bucket: text,
  /** From the seller's side. */
  amount_minor: money,
  order_id: nullable(text),
  /** Null for an order that only the ledger knows. */
  order_number: nullable(text),
  order_line_id: nullable(text),
  order_line_no: nullable(integer),
  sku: nullable(text),
  quantity: nullable(integer),
  rate_bps: nullable(integer),
  related_id: nullable(text),
  available_on: date,
  late: boolean,
  description: text,
  /** The document that has a fee of a closed settlement. */
  invoice_id: nullable(text),
};
export type LineRow = RowOf<typeof lineRow>;

/** The last line of the previous page, and the balance of the statement after it. */
export type LinePosition = Readonly<
  Pick<LineRow, 'row_no' | 'posted_on' | 'position'> & { readonly running_balance_minor: bigint }
>;

/**
 * Completes a page `p` of row numbers and entries; the page is cut before the order lines are read. Each join names the
 * seller of the query. If a join compared the sellers of two tables, PostgreSQL would count the condition of row-level
 * security twice in its estimate, and would think that any index that begins with the seller is selective.
 */
const complete = (sellerId: string, page: Part, balance: bigint) => statement(lineRow)`
  select p.row_no, p.posted_on, p.position, p.entry_id as transaction_id, p.type, p.component, p.bucket,
         -p.amount_minor as amount_minor, p.order_id, n.order_number, p.order_line_id, o.line_no as order_line_no,
         o.seller_sku as sku, p.quantity, p.rate_bps, p.related_id, p.available_on, p.late, p.description,
         d.invoice_id,
         (${balance}::bigint - sum(p.amount_minor) over (order by p.row_no))::bigint as running_balance_minor
    from (${page}) p
    left join v_orders_line o on o.seller_id = ${sellerId} and o.order_line_id = p.order_line_id
    left join v_orders_sold n on n.seller_id = ${sellerId} and n.order_id = p.order_id
    left join v_invoices_line d on d.seller_id = ${sellerId} and d.entry_id = p.entry_id
   order by p.row_no`;

/**
 * The lines of a period that is not closed, in the order of the statement, one more than the page.
 *
 * The lines are read in the order of the statement, from the first day that has a line of the range. `available_on +
 * 0` prevents that PostgreSQL reads them by the day on which they are available, because each page would then read
 * and sort all lines.
 */
export function rangePage(
  { db, seller_id }: SellerDb,
  range: LineRange,
  after: LinePosition,
  limit: number,
): Promise<LineRow[]> {
  const page = part`
    select e.*, (${after.row_no}::int + row_number() over (order by ${STATEMENT_ORDER}))::int as row_no
      from (select *
              from v_ledger_entry
             where ${inRange(seller_id, range, raw('available_on + 0'))}
               and posted_on >= (select min(d.posted_on)
                                   from v_ledger_day d
                                  where d.seller_id = ${seller_id} and d.currency = ${range.currency}
                                    and d.type <> '' and ${inDays(range, raw('d.available_on'))})
               and (posted_on, position) > (${after.posted_on}::date, ${after.position}::bigint)
             order by ${STATEMENT_ORDER}
             limit ${limit + 1}::int) e`;
  return db.all(complete(seller_id, page, after.running_balance_minor));
}

/** A page of a closed settlement, one line more than the limit. */
export function settledPageOf(
  sellerId: string,
  settlementId: string,
  after: Pick<LinePosition, 'row_no' | 'running_balance_minor'>,
  limit: number,
) {
  const page = part`
    select e.*, l.row_no
      from (select seller_id, entry_id, row_no
              from settlement_line
             where seller_id = ${sellerId} and settlement_id = ${settlementId} and row_no > ${after.row_no}::int
             order by row_no
             limit ${limit + 1}::int) l
      join v_ledger_entry e on e.seller_id = ${sellerId} and e.entry_id = l.entry_id`;
  return complete(sellerId, page, after.running_balance_minor);
}

/** Lines of a closed settlement, in the order of the statement; one more than the page. */
export const settledPage = (
  { db, seller_id }: SellerDb,
  settlementId: string,
  after: Pick<LinePosition, 'row_no' | 'running_balance_minor'>,
  limit: number,
): Promise<LineRow[]> => db.all(settledPageOf(seller_id, settlementId, after, limit));

/**
 * Sellers with a period that is over and not closed, in the system's scope.
 *
 * @param through last day of the last period that is due
 */
export async function sellersToClose(
  db: Db,
  after: string,
  through: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.all(statement({ seller_id: text })`
    select h.seller_id
      from v_ledger_head h
     where h.seller_id > ${after}
       and exists (
           with recursive known as (
             select min(currency) as currency
               from v_ledger_entry
              where seller_id = h.seller_id and bucket is not null
              union all
             select (select min(e.currency)
                       from v_ledger_entry e
                      where e.seller_id = h.seller_id and e.bucket is not null and e.currency > k.currency)
               from known k
              where k.currency is not null)
           select
             from known k
            where k.currency is not null
              and not exists (select
                                from settlement s
                               where s.seller_id = h.seller_id and s.currency = k.currency
                                 and s.period_end >= ${through}::date)
              and exists (select
                            from v_ledger_entry e
                           where e.seller_id = h.seller_id and e.bucket is not null
                             and e.currency = k.currency and e.posted_on <= ${through}::date))
     order by h.seller_id
     limit ${limit}::int`);
  return rows.map(({ seller_id }) => seller_id);
}

const heldDay = { available_on: date, amount: money, entries: integer };

/** The amounts that are not available yet, by the day on which they will be. */
export const heldByDay = (
  { db, seller_id }: SellerDb,
  currency: string,
  day: string,
): Promise<RowOf<typeof heldDay>[]> =>
  db.all(statement(heldDay)`
    select available_on, -sum(amount_minor)::bigint as amount, sum(entries)::int as entries
      from v_ledger_day
     where seller_id = ${seller_id}
       and currency = ${currency}
       and type <> ''
       and available_on > ${day}::date
     group by available_on
     order by available_on`);
