/** Lines of settlements: those of a period that is not closed yet, and those that a closed one holds. */
import type { Db } from '../../../kernel/context.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { StatementState } from '../domain/settlement.ts';

const STATES =
  'with recursive known as (' +
  "select min(currency) as currency from v_ledger_day where seller_id = $1 and type <> '' union all " +
  "select (select min(d.currency) from v_ledger_day d where d.seller_id = $1 and d.type <> '' and d.currency > k.currency) " +
  'from known k where k.currency is not null) ' +
  'select k.currency, s.period_end::text as closed_through, coalesce(s.closing_balance_minor, 0) as balance_minor, ' +
  "(select min(d.posted_on) from v_ledger_day d where d.seller_id = $1 and d.type <> '' and d.currency = k.currency)::text as first_on " +
  'from known k left join lateral (select period_end, closing_balance_minor from settlement s ' +
  'where s.seller_id = $1 and s.currency = k.currency order by s.period_start desc limit 1) s on true ' +
  'where k.currency is not null order by k.currency';

/** Where the seller's statements stand, by currency; a seller without any line has none. */
export function statementStates(db: Db, sellerId: string): Promise<StatementState[]> {
  return db.all<StatementState>(sql(STATES, [sellerId]));
}

/** The days whose lines belong to a period: after the last closed one, until its own last. */
export interface LineRange {
  readonly currency: string;
  readonly closed_through: string | null;
  readonly through: string;
}

/**
 * Whatever was not settled when a period was closed is available after it: what is posted later counts for a later
 * day. So a range of days is all of a period's lines, and needs no look at what is settled already.
 */
const IN_DAYS = 'available_on > $3::date and available_on <= $4::date';
const IN_RANGE = `seller_id = $1 and bucket is not null and currency = $2 and ${IN_DAYS}`;
const STATEMENT_ORDER = 'posted_on, position';

/**
 * The day after which a range begins. Never null: under row-level security an expression such as `coalesce` is no
 * bound of an index, and all that was ever available would be read.
 */
export const beginsAfter = ({ closed_through }: LineRange): string => closed_through ?? '-infinity';
const rangeValues = (sellerId: string, range: LineRange) => [
  sellerId,
  range.currency,
  beginsAfter(range),
  range.through,
];

/** One line of the hashed text: what it is, of what kind, its amount from the seller's side, and what it belongs to. */
const HASHED =
  "entry_id || ' ' || type || ' ' || (-amount_minor) || ' ' || coalesce(order_id, '-') || ' ' || coalesce(order_line_id, '-')";
/** The seal of a line: enough of a digest to name the line that is not what it was. */
export const SEAL = `substr(sha256(convert_to(${HASHED}, 'UTF8')), 1, 8)`;
const digestOf = (order: string) =>
  `encode(sha256(convert_to(coalesce(string_agg(${HASHED}, E'\\n' order by ${order}), ''), 'UTF8')), 'hex')`;
const totals = (lines: string, digest: string) =>
  `with l as materialized (${lines}) select ` +
  "coalesce((select json_object_agg(t.type, json_build_object('lines', t.lines, 'amount_minor', t.amount)) from " +
  "(select type, count(*) as lines, (-sum(amount_minor))::bigint as amount from l group by type) t), '{}') as by_type, " +
  "(select count(distinct order_id) from l where type = 'sale')::int as order_count, " +
  `(select count(*) from l)::int as line_count, ${digest} as lines_sha256`;
const LINE = 'entry_id, type, order_id, order_line_id, amount_minor, posted_on, position';
const digestIn = (order: string) => `(select ${digestOf(order)} from l)`;
const FROM_RANGE = `select ${LINE} from v_ledger_entry where ${IN_RANGE}`;
const RANGE_TOTALS_HASHED = totals(FROM_RANGE, digestIn(STATEMENT_ORDER));
const SETTLED_TOTALS = totals(
  `select ${LINE.split(', ')
    .map((column) => `e.${column}`)
    .join(
      ', ',
    )}, l.row_no from settlement_line l join v_ledger_entry e on e.seller_id = $1 and e.entry_id = l.entry_id ` +
    'where l.seller_id = $1 and l.settlement_id = $2',
  digestIn('row_no'),
);

export interface LineTotals {
  /** Sums from the seller's side, as JSON numbers. */
  readonly by_type: Readonly<Record<string, { readonly lines: number; readonly amount_minor: number }>>;
  readonly order_count: number;
  readonly line_count: number;
  /** Null where it was not asked for. */
  readonly lines_sha256: string | null;
}

/** The same from the sums by day: orders are counted by their first sale, and by a later one where that lies before. */
const RANGE_TOTALS =
  'with l as materialized (select type, amount_minor, entries, first_sales from v_ledger_day ' +
  `where seller_id = $1 and currency = $2 and type <> '' and ${IN_DAYS}) select ` +
  "coalesce((select json_object_agg(t.type, json_build_object('lines', t.lines, 'amount_minor', t.amount)) from " +
  "(select type, sum(entries) as lines, (-sum(amount_minor))::bigint as amount from l group by type) t), '{}') as by_type, " +
  '(coalesce((select sum(first_sales) from l), 0) + (select count(*) from (' +
  `select distinct order_id from v_ledger_later_sale where seller_id = $1 and currency = $2 and ${IN_DAYS}) o ` +
  'where not exists (select from (select available_on from v_ledger_entry x where x.seller_id = $1 and x.order_id = o.order_id ' +
  `and x.type = 'sale' order by x.position + 0 limit 1) f where ${IN_DAYS})))::int as order_count, ` +
  'coalesce((select sum(entries) from l), 0)::int as line_count, null::text as lines_sha256';

/** What the lines of a range come to, with the digest of all of them. */
export async function hashedTotals(db: Db, sellerId: string, range: LineRange): Promise<LineTotals> {
  return one(await db.one<LineTotals>(sql(RANGE_TOTALS_HASHED, rangeValues(sellerId, range))));
}

/** The same without the digest: for what changes until it is closed. */
export async function rangeTotals(db: Db, sellerId: string, range: LineRange): Promise<LineTotals> {
  return one(await db.one<LineTotals>(sql(RANGE_TOTALS, rangeValues(sellerId, range))));
}

/** The same of what a closed settlement holds, read from its lines again. */
export async function settledTotals(db: Db, sellerId: string, settlementId: string): Promise<LineTotals> {
  return one(await db.one<LineTotals>(sql(SETTLED_TOTALS, [sellerId, settlementId])));
}

function one(row: LineTotals | undefined): LineTotals {
  if (row === undefined) throw new Error('the lines answered nothing');
  return row;
}

const INSERT =
  'insert into settlement_line (seller_id, entry_id, settlement_id, row_no, seal) ' +
  `select $1::text, entry_id, $5::text, row_number() over (order by ${STATEMENT_ORDER}), ${SEAL} from v_ledger_entry where ${IN_RANGE}`;

/** Gives the lines of a range to a settlement. @returns how many */
export function insertLines(
  db: Db,
  sellerId: string,
  range: LineRange,
  settlementId: string,
): Promise<number> {
  return db.run(sql(INSERT, [...rangeValues(sellerId, range), settlementId]));
}

/** The last line of the page before, and what the statement had come to with it. */
export interface LinePosition {
  readonly row_no: number;
  readonly posted_on: string;
  readonly position: bigint;
  readonly running_balance_minor: bigint;
}

export interface LineRow extends LinePosition {
  readonly transaction_id: string;
  readonly type: string;
  readonly component: string | null;
  readonly bucket: string;
  /** From the seller's side. */
  readonly amount_minor: bigint;
  readonly order_id: string | null;
  readonly order_line_id: string | null;
  readonly order_line_no: number | null;
  readonly sku: string | null;
  readonly quantity: number | null;
  readonly rate_bps: number | null;
  readonly related_id: string | null;
  readonly available_on: string;
  readonly late: boolean;
  readonly description: string;
  /** Of a fee in a closed settlement: the document that it stands on. */
  readonly invoice_id: string | null;
}

/**
 * The page is cut before order lines are looked up. `p` is the page: row numbers and entries. Tables are joined on the
 * seller of the question: on the seller of another table, row-level security's own would count once more, and any index
 * that begins with the seller would seem as good as the right one.
 */
const shown = (page: string, balance: string) =>
  'select p.row_no, p.posted_on::text as posted_on, p.position, p.entry_id as transaction_id, p.type, p.component, p.bucket, ' +
  '-p.amount_minor as amount_minor, p.order_id, p.order_line_id, o.line_no as order_line_no, o.seller_sku as sku, p.quantity, ' +
  'p.rate_bps, p.related_id, p.available_on::text as available_on, p.late, p.description, d.invoice_id, ' +
  `(${balance}::bigint - sum(p.amount_minor) over (order by p.row_no))::bigint as running_balance_minor ` +
  `from (${page}) p left join v_orders_line o on o.seller_id = $1 and o.order_line_id = p.order_line_id ` +
  'left join v_invoices_line d on d.seller_id = $1 and d.entry_id = p.entry_id order by p.row_no';

/**
 * Read in the order of the statement from the first day that has a line of the range: by the days on which lines are
 * available, all of them would be read and sorted for every page.
 */
const RANGE_PAGE = shown(
  `select e.*, ($5::int + row_number() over (order by ${STATEMENT_ORDER}))::int as row_no from (` +
    `select * from v_ledger_entry where ${IN_RANGE.replaceAll('available_on', 'available_on + 0')} ` +
    'and posted_on >= (select min(d.posted_on) from v_ledger_day d ' +
    `where d.seller_id = $1 and d.currency = $2 and d.type <> '' and ${IN_DAYS.replaceAll('available_on', 'd.available_on')}) ` +
    'and (posted_on, position) > ($6::date, $7::bigint) ' +
    `order by ${STATEMENT_ORDER} limit $8::int) e`,
  '$9',
);
/** A page of a settlement: seller, settlement, row before it, rows, balance before it. */
export const SETTLED_PAGE = shown(
  'select e.*, l.row_no from (select seller_id, entry_id, row_no from settlement_line where seller_id = $1 ' +
    'and settlement_id = $2 and row_no > $3::int order by row_no limit $4::int) l ' +
    'join v_ledger_entry e on e.seller_id = $1 and e.entry_id = l.entry_id',
  '$5',
);

/** Lines of a period that is not closed, in the order of the statement, and one beyond the page. */
export function rangePage(
  db: Db,
  sellerId: string,
  range: LineRange,
  after: LinePosition,
  limit: number,
): Promise<LineRow[]> {
  const { row_no, posted_on, position, running_balance_minor } = after;
  return db.all<LineRow>(
    sql(RANGE_PAGE, [
      ...rangeValues(sellerId, range),
      row_no,
      posted_on,
      position,
      limit + 1,
      running_balance_minor,
    ]),
  );
}

/** Lines of a closed settlement, in the order of the statement, and one beyond the page. */
export function settledPage(
  db: Db,
  sellerId: string,
  settlementId: string,
  after: Pick<LinePosition, 'row_no' | 'running_balance_minor'>,
  limit: number,
): Promise<LineRow[]> {
  return db.all<LineRow>(
    sql(SETTLED_PAGE, [sellerId, settlementId, after.row_no, limit + 1, after.running_balance_minor]),
  );
}

const DUE =
  'select h.seller_id from v_ledger_head h where h.seller_id > $1 and exists (' +
  'with recursive known as (' +
  'select min(currency) as currency from v_ledger_entry where seller_id = h.seller_id and bucket is not null union all ' +
  'select (select min(e.currency) from v_ledger_entry e where e.seller_id = h.seller_id and e.bucket is not null and e.currency > k.currency) ' +
  'from known k where k.currency is not null) ' +
  'select from known k where k.currency is not null ' +
  'and not exists (select from settlement s where s.seller_id = h.seller_id and s.currency = k.currency and s.period_end >= $2::date) ' +
  'and exists (select from v_ledger_entry e where e.seller_id = h.seller_id and e.bucket is not null and e.currency = k.currency ' +
  'and e.posted_on <= $2::date)) order by h.seller_id limit $3::int';

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
  const rows = await db.all<{ seller_id: string }>(sql(DUE, [after, through, limit]));
  return rows.map(({ seller_id }) => seller_id);
}

const IN_HOLD =
  'select available_on, -sum(amount_minor)::bigint as amount, sum(entries)::int as entries from v_ledger_day ' +
  "where seller_id = $1 and currency = $2 and type <> '' and available_on > $3::date " +
  'group by available_on order by available_on';

export interface HeldDay {
  readonly available_on: string;
  readonly amount: Minor;
  readonly entries: number;
}

/** What is not available yet, by the day on which it will be. */
export async function heldByDay(db: Db, sellerId: string, currency: string, day: string): Promise<HeldDay[]> {
  const rows = await db.all<Omit<HeldDay, 'amount'> & { readonly amount: bigint }>(
    sql(IN_HOLD, [sellerId, currency, day]),
  );
  return rows.map(({ available_on, amount, entries }) => ({ available_on, amount: minor(amount), entries }));
}
