/** Fee documents: what they are made of, their numbers, and the documents themselves. */

import type { Db, Statement } from '../../../kernel/context.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import { Conditions } from '../../../platform/db/conditions.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { EntryType } from '../../ledger/index.ts';
import { beginsAfter, type LineRange } from '../../settlements/index.ts';
import type { FeeGroup, GstMode, InvoiceKind, InvoiceLine, PdfStatus } from '../domain/invoice.ts';

/**
 * The fees of a range of days, each with the earlier documents that its credit concerns: those which charged the same
 * fee of the same line, or of the same dispute. Joined on the seller of the question (settlement-lines.ts).
 */
const FEES =
  'with fee as materialized (select e.entry_id, e.type, e.component, e.amount_minor, e.component = any($2::text[]) as untaxed, ' +
  "case when e.type ~ '_credit' then (select array_agg(distinct l.invoice_id) from v_ledger_entry o " +
  'join invoice_line l on l.seller_id = $1 and l.entry_id = o.entry_id where o.seller_id = $1 ' +
  "and o.order_id = e.order_id and o.type = regexp_replace(e.type, '_credit(_reversal)?$', '') " +
  'and o.order_line_id is not distinct from e.order_line_id ' +
  "and (o.type <> 'dispute_fee' or o.related_id = e.related_id)) end as adjusts " +
  "from v_ledger_entry e where e.seller_id = $1 and e.currency = $3 and e.bucket = 'fees' " +
  'and e.available_on > $4::date and e.available_on <= $5::date) ';

const GROUPS =
  `${FEES}select type, component, untaxed, adjusts is not null as earlier, count(*)::int as quantity, ` +
  "sum(amount_minor)::bigint as amount, array_agg(distinct array_to_string(adjusts, ' ')) as adjusts from fee group by 1, 2, 3, 4";
const ASSIGN =
  `${FEES}insert into invoice_line (seller_id, entry_id, invoice_id) select $1, f.entry_id, d.invoice_id from fee f ` +
  'join unnest($6::text[], $7::text[]) as d (place, invoice_id) ' +
  "on d.place = f.untaxed::text || ':' || (f.adjusts is not null)::text";

/** Fees of a settlement, and the earlier documents that they concern. */
export interface StoredFees extends FeeGroup {
  readonly adjusts: readonly string[];
}
interface GroupRow {
  readonly type: EntryType;
  readonly component: string;
  readonly untaxed: boolean;
  readonly earlier: boolean;
  readonly quantity: number;
  readonly amount: bigint;
  /** Ids of one fee each, parted by blanks. */
  readonly adjusts: readonly (string | null)[];
}
const toFees = (row: GroupRow): StoredFees => ({
  ...row,
  amount: minor(row.amount),
  adjusts: row.adjusts.flatMap((ids) => ids?.split(' ') ?? []),
});

const valuesOf = (sellerId: string, range: LineRange, untaxed: readonly string[]) => [
  sellerId,
  textArray(untaxed),
  range.currency,
  beginsAfter(range),
  range.through,
];

/** The fees of a period by type, and what of them concerns earlier documents. */
export async function feeGroups(
  db: Db,
  sellerId: string,
  range: LineRange,
  untaxed: readonly string[],
): Promise<StoredFees[]> {
  return (await db.all<GroupRow>(sql(GROUPS, valuesOf(sellerId, range, untaxed)))).map(toFees);
}

/** Which document takes the fees of which place. */
export interface Placing {
  readonly untaxed: boolean;
  readonly earlier: boolean;
  readonly invoice_id: string;
}

/** Puts every fee of a period on its document. @returns how many there were */
export function assignFees(
  db: Db,
  sellerId: string,
  range: LineRange,
  untaxed: readonly string[],
  placings: readonly Placing[],
): Promise<number> {
  return db.run(
    sql(ASSIGN, [
      ...valuesOf(sellerId, range, untaxed),
      textArray(placings.map((placing) => `${placing.untaxed}:${placing.earlier}`)),
      textArray(placings.map(({ invoice_id }) => invoice_id)),
    ]),
  );
}

const TAKE =
  'insert into invoice_series (seller_id, last) values ($1, $2) ' +
  'on conflict (seller_id) do update set last = invoice_series.last + excluded.last returning last';

/** The first of so many numbers in the seller's series, which is held until the transaction ends. */
export async function takeNumbers(db: Db, sellerId: string, count: number): Promise<number> {
  const row = await db.one<{ last: number }>(sql(TAKE, [sellerId, count]));
  return (row?.last ?? count) - count + 1;
}

const RECIPIENT = 'select business_name, abn from v_sellers_recipient where seller_id = $1';

/** To whom a seller's documents are issued; only a number with right check digits is an ABN. */
export async function recipientOf(db: Db, sellerId: string): Promise<InvoiceRow['recipient']> {
  const row = await db.one<InvoiceRow['recipient']>(sql(RECIPIENT, [sellerId]));
  return row ?? { business_name: '', abn: null };
}

/** A document as stored; instants are RFC 3339. */
export interface InvoiceRow {
  readonly invoice_id: string;
  readonly invoice_number: string;
  readonly kind: InvoiceKind;
  readonly settlement_id: string;
  readonly period_start: string;
  readonly period_end: string;
  readonly issued_on: string;
  readonly status: 'issued' | 'adjusted';
  readonly currency: string;
  readonly total_minor: bigint;
  readonly supplier: {
    readonly name: string | null;
    readonly abn: string | null;
    readonly address: string | null;
  };
  readonly recipient: { readonly business_name: string; readonly abn: string | null };
  readonly gst_mode: GstMode;
  readonly adjusts_invoice_ids: readonly string[];
  readonly lines: readonly InvoiceLine[];
  readonly pdf_status: PdfStatus;
  readonly pdf_file_id: string | null;
  readonly pdf_sha256: string | null;
  readonly created_at: string;
}

const INSERT =
  'insert into invoice (seller_id, invoice_id, invoice_number, kind, settlement_id, period_start, period_end, issued_on, ' +
  'status, currency, total_minor, supplier, recipient, gst_mode, adjusts_invoice_ids, lines, pdf_status, created_at) ' +
  "values ($1, $2, $3, $4, $5, $6, $7, $8, 'issued', $9, $10, $11, $12, $13, $14, $15, $16, $17)";

export type NewInvoice = Omit<InvoiceRow, 'status' | 'total_minor' | 'pdf_file_id' | 'pdf_sha256'> & {
  readonly total: Minor;
};

export async function insertInvoice(db: Db, sellerId: string, row: NewInvoice): Promise<void> {
  await db.run(
    sql(INSERT, [
      sellerId,
      row.invoice_id,
      row.invoice_number,
      row.kind,
      row.settlement_id,
      row.period_start,
      row.period_end,
      row.issued_on,
      row.currency,
      row.total,
      JSON.stringify(row.supplier),
      JSON.stringify(row.recipient),
      row.gst_mode,
      textArray(row.adjusts_invoice_ids),
      JSON.stringify(row.lines),
      row.pdf_status,
      row.created_at,
    ]),
  );
}

const MARK = "update invoice set status = 'adjusted' where seller_id = $1 and invoice_id = any($2::text[])";

/** Says of documents that an adjustment note concerns them. */
export async function markAdjusted(db: Db, sellerId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.run(sql(MARK, [sellerId, textArray(ids)]));
}

const COLUMNS =
  'invoice_id, invoice_number, kind, settlement_id, period_start, period_end, issued_on, status, currency, total_minor, ' +
  'supplier, recipient, gst_mode, adjusts_invoice_ids, lines, pdf_status, pdf_file_id, pdf_sha256, created_at';

export function findInvoice(db: Db, sellerId: string, invoiceId: string): Promise<InvoiceRow | undefined> {
  return db.one<InvoiceRow>(
    sql(`select ${COLUMNS} from invoice where seller_id = $1 and invoice_id = $2`, [sellerId, invoiceId]),
  );
}

/** Documents of one settlement, in the order of their numbers. */
export function invoicesOf(db: Db, sellerId: string, settlementId: string): Promise<InvoiceRow[]> {
  return db.all<InvoiceRow>(
    sql(
      `select ${COLUMNS} from invoice where seller_id = $1 and settlement_id = $2 order by invoice_number`,
      [sellerId, settlementId],
    ),
  );
}

const NUMBERS =
  'select invoice_number from invoice where seller_id = $1 and invoice_id = any($2::text[]) order by invoice_number';

/** Numbers of documents, in their order. */
export async function numbersOf(db: Db, sellerId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.all<{ invoice_number: string }>(sql(NUMBERS, [sellerId, textArray(ids)]));
  return rows.map(({ invoice_number }) => invoice_number);
}

export interface InvoiceFilter {
  readonly kind?: InvoiceKind | undefined;
  readonly status?: 'issued' | 'adjusted' | undefined;
  readonly settlement_id?: string | undefined;
  readonly issued_from?: string | undefined;
  readonly issued_to?: string | undefined;
}

/** One page and one row more, newest first; `after` is the last row of the page before. */
export function listInvoices(
  sellerId: string,
  filter: InvoiceFilter,
  limit: number,
  after: readonly [issued_on: string, invoice_number: string] | undefined,
): Statement<InvoiceRow> {
  const where = new Conditions();
  where.add((p) => `seller_id = ${p}`, sellerId);
  if (filter.kind !== undefined) where.add((p) => `kind = ${p}`, filter.kind);
  if (filter.status !== undefined) where.add((p) => `status = ${p}`, filter.status);
  if (filter.settlement_id !== undefined) where.add((p) => `settlement_id = ${p}`, filter.settlement_id);
  if (filter.issued_from !== undefined) where.add((p) => `issued_on >= ${p}::date`, filter.issued_from);
  if (filter.issued_to !== undefined) where.add((p) => `issued_on <= ${p}::date`, filter.issued_to);
  if (after !== undefined) {
    const [day, number] = after;
    where.add((p) => `(issued_on, invoice_number) < (${where.value(day)}::date, ${p})`, number);
  }
  const text = `select ${COLUMNS} from invoice where ${where.text} order by issued_on desc, invoice_number desc limit ${where.value(limit + 1)}`;
  return sql(text, where.values);
}

const RENDERED =
  "update invoice set pdf_status = 'available', pdf_file_id = $3, pdf_sha256 = $4, supplier = $5 " +
  "where seller_id = $1 and invoice_id = $2 and pdf_status <> 'available'";

/** Keeps the file of a document. @returns false when it had one already */
export async function keepPdf(
  db: Db,
  sellerId: string,
  invoiceId: string,
  pdf: { readonly file_id: string; readonly sha256: string; readonly supplier: InvoiceRow['supplier'] },
): Promise<boolean> {
  const values = [sellerId, invoiceId, pdf.file_id, pdf.sha256, JSON.stringify(pdf.supplier)];
  return (await db.run(sql(RENDERED, values))) > 0;
}

const FAILED =
  "update invoice set pdf_status = 'failed' where seller_id = $1 and invoice_id = $2 and pdf_status <> 'available'";

export async function markPdfFailed(db: Db, sellerId: string, invoiceId: string): Promise<void> {
  await db.run(sql(FAILED, [sellerId, invoiceId]));
}

const WITHOUT_PDF =
  'select distinct seller_id, settlement_id from invoice ' +
  "where pdf_status <> 'available' and ($1 or pdf_status <> 'unavailable') limit $2";

/**
 * Settlements with documents that have no file yet, of all sellers.
 *
 * @param every those too that could not be made for want of the operator's particulars
 */
export function settlementsWithoutPdf(
  every: boolean,
  limit: number,
): Statement<{ readonly seller_id: string; readonly settlement_id: string }> {
  return sql(WITHOUT_PDF, [every, limit]);
}
