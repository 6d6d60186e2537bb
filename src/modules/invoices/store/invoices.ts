/** Fee documents, their numbers, and the fees in them. */
import type { PostalAddress } from '../../../kernel/australia/address.ts';
import type { Db } from '../../../kernel/context.ts';
import { textArray } from '../../../platform/db/arrays.ts';
import {
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
  texts,
} from '../../../platform/db/columns.ts';
import { allOf, command, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { EntryType } from '../../ledger/index.ts';
import { beginsAfter, type LineRange } from '../../settlements/index.ts';
import {
  addressLines,
  type FeeGroup,
  type GstMode,
  type InvoiceKind,
  type InvoiceLine,
  type PdfStatus,
} from '../domain/invoice.ts';

/**
 * The fees of a range of days. A credit has the earlier documents that charged the same fee of the same line or
 * dispute. Each join names the seller of the query, as in settlements/store/lines.ts.
 */
const fees = (sellerId: string, range: LineRange, untaxed: readonly string[]) => part`
  with fee as materialized (
    select e.entry_id, e.type, e.component, e.amount_minor,
           e.component = any(${textArray(untaxed)}::text[]) as untaxed,
           case when e.type ~ '_credit' then (
                select array_agg(distinct l.invoice_id)
                  from v_ledger_entry o
                  join invoice_line l on l.seller_id = ${sellerId} and l.entry_id = o.entry_id
                 where o.seller_id = ${sellerId}
                   and o.order_id = e.order_id
                   and o.type = regexp_replace(e.type, '_credit(_reversal)?$', '')
                   and o.order_line_id is not distinct from e.order_line_id
                   and (o.type <> 'dispute_fee' or o.related_id = e.related_id)) end as adjusts
      from v_ledger_entry e
     where e.seller_id = ${sellerId}
       and e.currency = ${range.currency}
       and e.bucket = 'fees'
       and e.available_on > ${beginsAfter(range)}::date
       and e.available_on <= ${range.through}::date)`;

/** Fees of a settlement, and the earlier documents that charged them. */
export interface StoredFees extends FeeGroup {
  readonly adjusts: readonly string[];
}

/** The fees of a period by type, and which of them are credits of earlier documents. */
export async function feeGroups(
  { db, seller_id }: SellerDb,
  range: LineRange,
  untaxed: readonly string[],
): Promise<StoredFees[]> {
  const rows = await db.all(statement({
    type: textOf<EntryType>(),
    component: text,
    untaxed: boolean,
    earlier: boolean,
    quantity: integer,
    amount: money,
    /** Each element has the ids of the documents that one fee adjusts, separated by blanks. */
    adjusts: texts,
  })`
    ${fees(seller_id, range, untaxed)}
    select type, component, untaxed, adjusts is not null as earlier, count(*)::int as quantity,
           sum(amount_minor)::bigint as amount, array_agg(distinct array_to_string(adjusts, ' ')) as adjusts
      from fee
     group by 1, 2, 3, 4`);
  return rows.map((row) => ({
    ...row,
    adjusts: row.adjusts.flatMap((ids: string | null) => ids?.split(' ') ?? []),
  }));
}

/** The document for a group of fees. */
export interface Placing {
  readonly untaxed: boolean;
  readonly earlier: boolean;
  readonly invoice_id: string;
}

/** Assigns every fee of a period to its document. @returns how many there were */
export const assignFees = (
  { db, seller_id }: SellerDb,
  range: LineRange,
  untaxed: readonly string[],
  placings: readonly Placing[],
): Promise<number> =>
  db.run(command`
    ${fees(seller_id, range, untaxed)}
    insert into invoice_line (seller_id, entry_id, invoice_id)
    select ${seller_id}, f.entry_id, d.invoice_id
      from fee f
      join unnest(${textArray(placings.map((placing) => `${placing.untaxed}:${placing.earlier}`))}::text[],
                  ${textArray(placings.map(({ invoice_id }) => invoice_id))}::text[]) as d (place, invoice_id)
        on d.place = f.untaxed::text || ':' || (f.adjusts is not null)::text`);

/** Takes numbers of the seller's series and returns the first one. The series is locked until the transaction ends. */
export async function takeNumbers({ db, seller_id }: SellerDb, count: number): Promise<number> {
  const row = await db.one(statement({ last: integer })`
    insert into invoice_series (seller_id, last)
    values (${seller_id}, ${count})
        on conflict (seller_id) do update set last = invoice_series.last + excluded.last
    returning last`);
  return (row?.last ?? count) - count + 1;
}

interface Recipient {
  readonly business_name: string;
  readonly abn: string | null;
  /** Absent on documents of the release before. */
  readonly address_lines?: readonly string[];
}

/** The recipient of a seller's documents by its business details of now; a document keeps them. */
export async function recipientOf({ db, seller_id }: SellerDb): Promise<Recipient> {
  const row = await db.one(statement({
    business_name: text,
    abn: nullable(text),
    address: nullable(json<PostalAddress>()),
  })`
    select business_name, abn, address
      from v_sellers_recipient
     where seller_id = ${seller_id}`);
  const { business_name = '', abn = null, address = null } = row ?? {};
  return { business_name, abn, address_lines: address === null ? [] : addressLines(address) };
}

interface Supplier {
  readonly name: string | null;
  readonly abn: string | null;
  readonly address: string | null;
}

const invoices = defineTable('invoice', ['invoice_id'], {
  invoice_id: text,
  invoice_number: text,
  kind: textOf<InvoiceKind>(),
  settlement_id: text,
  period_start: date,
  period_end: date,
  issued_on: date,
  status: textOf<'issued' | 'adjusted'>(),
  currency: text,
  total_minor: money,
  supplier: json<Supplier>('json'),
  recipient: json<Recipient>('json'),
  gst_mode: textOf<GstMode>(),
  adjusts_invoice_ids: texts,
  lines: json<readonly InvoiceLine[]>('json'),
  pdf_status: textOf<PdfStatus>(),
  pdf_file_id: nullable(text),
  pdf_sha256: nullable(text),
  created_at: instant,
});
export type InvoiceRow = RowIn<typeof invoices>;
export type NewInvoice = Omit<InvoiceRow, 'status' | 'pdf_file_id' | 'pdf_sha256'>;

/** @throws Error if the document exists, which cannot happen because the caller holds the lock of the series */
export async function insertInvoice(at: SellerDb, row: NewInvoice): Promise<void> {
  const added = await invoices.insert(at, {
    ...row,
    status: 'issued',
    pdf_file_id: null,
    pdf_sha256: null,
  });
  if (!added) throw new Error(`invoice ${row.invoice_number} exists`);
}

/** Marks documents that an adjustment note adjusts. */
export async function markAdjusted(at: SellerDb, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await invoices.change(at, part`status = 'adjusted'`, part`invoice_id = any(${textArray(ids)}::text[])`);
}

export const findInvoice = (at: SellerDb, invoiceId: string): Promise<InvoiceRow | undefined> =>
  invoices.find(at, { invoice_id: invoiceId });

/** Documents of one settlement, in the order of their numbers. */
export const invoicesOf = (at: SellerDb, settlementId: string): Promise<InvoiceRow[]> =>
  invoices.all(at, part`settlement_id = ${settlementId} order by invoice_number`);

const REFERENCE = { kind: textOf<InvoiceKind>(), invoice_number: text, issued_on: date };
/** A document that an adjustment note adjusts. */
export type InvoiceReference = RowOf<typeof REFERENCE>;

/** What names documents, in the order of their numbers. */
export async function referencesOf(
  { db, seller_id }: SellerDb,
  ids: readonly string[],
): Promise<InvoiceReference[]> {
  if (ids.length === 0) return [];
  return db.all(statement(REFERENCE)`
    select kind, invoice_number, issued_on
      from invoice
     where seller_id = ${seller_id}
       and invoice_id = any(${textArray(ids)}::text[])
     order by invoice_number`);
}

/** The day of issue and the number of the last row of the previous page. */
export type InvoicePosition = readonly [issued_on: string, invoice_number: string];

interface InvoiceFilter {
  readonly kind?: InvoiceKind | undefined;
  readonly status?: 'issued' | 'adjusted' | undefined;
  readonly settlement_id?: string | undefined;
  readonly issued_from?: string | undefined;
  readonly issued_to?: string | undefined;
}

/** One page and one row more, newest first. */
export const listInvoices = (
  at: SellerDb,
  { kind, status, settlement_id, issued_from, issued_to }: InvoiceFilter,
  limit: number,
  after: InvoicePosition | undefined,
): Promise<InvoiceRow[]> =>
  invoices.page(at, {
    where: allOf(
      kind !== undefined && part`kind = ${kind}`,
      status !== undefined && part`status = ${status}`,
      settlement_id !== undefined && part`settlement_id = ${settlement_id}`,
      issued_from !== undefined && part`issued_on >= ${issued_from}::date`,
      issued_to !== undefined && part`issued_on <= ${issued_to}::date`,
    ),
    order: ['issued_on', 'invoice_number'],
    descending: true,
    after,
    limit,
  });

/** Stores the file of a document. @returns false if the document already has a file */
export async function keepPdf(
  at: SellerDb,
  invoiceId: string,
  pdf: { readonly file_id: string; readonly sha256: string; readonly supplier: Supplier },
): Promise<boolean> {
  const written = await invoices.change(
    at,
    part`pdf_status = 'available', pdf_file_id = ${pdf.file_id}, pdf_sha256 = ${pdf.sha256},
     supplier = ${JSON.stringify(pdf.supplier)}`,
    part`invoice_id = ${invoiceId} and pdf_status <> 'available'`,
  );
  return written > 0;
}

export const markPdfFailed = (at: SellerDb, invoiceId: string): Promise<number> =>
  invoices.change(
    at,
    part`pdf_status = 'failed'`,
    part`invoice_id = ${invoiceId} and pdf_status <> 'available'`,
  );

/**
 * Settlements of all sellers with documents that have no file.
 *
 * @param every whether to include files that need missing particulars of the operator
 */
export const settlementsWithoutPdf = (db: Db, every: boolean, limit: number) =>
  db.all(statement({ seller_id: text, settlement_id: text })`
    select distinct seller_id, settlement_id
      from invoice
     where pdf_status <> 'available'
       and (${every} or pdf_status <> 'unavailable')
     limit ${limit}`);
