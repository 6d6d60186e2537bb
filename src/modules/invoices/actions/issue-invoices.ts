/** Issues the fee documents of a settlement, in the transaction that closes it. */

import { createHash } from 'node:crypto';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import type { Services } from '../../../platform/services.ts';
import type { LedgerCtx } from '../../ledger/index.ts';
import { type ClosedSettlement, type LineRange, operatorOf } from '../../settlements/index.ts';
import { canRender, invoiceNumber, type PlannedDocument, planDocuments } from '../domain/invoice.ts';
import { INVOICE_ISSUED } from '../events.ts';
import { invoiceToWire } from '../schemas/invoice-to-wire.ts';
import {
  assignFees,
  feeGroups,
  insertInvoice,
  invoicesOf,
  markAdjusted,
  type NewInvoice,
  type Placing,
  recipientOf,
  type StoredFees,
  takeNumbers,
} from '../store/invoices.ts';

export type InvoiceCtx = LedgerCtx & Pick<Services, 'config' | 'jobs'>;

/** The days whose lines it has: it begins with the first of them all, or behind the period before. */
const rangeOf = ({ currency, period_start, period_end }: ClosedSettlement): LineRange => ({
  currency,
  closed_through: addDays(period_start, -1),
  through: period_end,
});

export const RENDER_JOB = 'financials.render_invoices';

interface Numbered {
  readonly document: PlannedDocument;
  readonly invoice_id: string;
  readonly invoice_number: string;
}

const ID_CHARS = 26;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * The id of a document of a period: that of its draft, known before it is issued. A period has at most one of each kind
 * of what is taxable, and of what is not.
 *
 * @param period of the seller, by its currency and first day
 */
export function documentId(
  sellerId: string,
  period: { readonly currency: string; readonly period_start: string },
  { kind, untaxed }: Pick<PlannedDocument, 'kind' | 'untaxed'>,
): string {
  const name = `${untaxed ? 'untaxed ' : ''}${kind === 'adjustment_note' ? 'note' : 'invoice'}`;
  const digest = createHash('sha256')
    .update(`${name}|${sellerId}|${period.currency}|${period.period_start}`)
    .digest();
  return `inv_${[...digest.subarray(0, ID_CHARS)].map((byte) => ALPHABET[byte & 31]).join('')}`;
}

async function numbered(
  ctx: InvoiceCtx,
  settlement: ClosedSettlement,
  documents: readonly PlannedDocument[],
): Promise<Numbered[]> {
  const first = await takeNumbers(ctx.db, ctx.sellerId, documents.length);
  return documents.map((document, index) => ({
    document,
    invoice_id: documentId(ctx.sellerId, settlement, document),
    invoice_number: invoiceNumber(ctx.sellerId, first + index),
  }));
}

const placingsOf = (list: readonly Numbered[]): Placing[] =>
  list.flatMap(({ document: { untaxed, earlier }, invoice_id }) =>
    earlier.map((one) => ({ untaxed, earlier: one, invoice_id })),
  );

/** The earlier documents that fees concern. */
const adjustedBy = (groups: readonly StoredFees[]): string[] =>
  [...new Set(groups.flatMap(({ adjusts }) => adjusts))].sort();

/** The earlier documents that a document says it adjusts: a note those of the fees of its sort. */
export const adjustsOf = ({ kind, untaxed }: PlannedDocument, groups: readonly StoredFees[]): string[] =>
  kind === 'adjustment_note' ? adjustedBy(groups.filter((group) => group.untaxed === untaxed)) : [];

/** Writes the documents, the fees on them, and what they say of earlier ones. */
async function writeDocuments(
  ctx: InvoiceCtx,
  settlement: ClosedSettlement,
  list: readonly Numbered[],
  groups: readonly StoredFees[],
): Promise<void> {
  const { db, sellerId, config } = ctx;
  const { settlement_id, currency, period_start, period_end, closed_at } = settlement;
  const untaxed = config.OPERATOR_UNTAXED_COMPONENTS;
  const supplier = operatorOf(config);
  const recipient = await recipientOf(db, sellerId);
  for (const { document, invoice_id, invoice_number } of list) {
    const row: NewInvoice = {
      invoice_id,
      invoice_number,
      kind: document.kind,
      ...{ settlement_id, currency, period_start, period_end, supplier, recipient },
      issued_on: sydneyDate(Date.parse(closed_at)),
      total: document.total,
      gst_mode: document.gst_mode,
      adjusts_invoice_ids: adjustsOf(document, groups),
      lines: document.lines,
      pdf_status: canRender(supplier, document.gst_mode) ? 'pending' : 'unavailable',
      created_at: closed_at,
    };
    await insertInvoice(db, sellerId, row);
  }
  await assignFees(db, sellerId, rangeOf(settlement), untaxed, placingsOf(list));
  await markAdjusted(db, sellerId, adjustedBy(groups));
}

/**
 * Issues the documents for the fees of a settlement: an invoice for what was charged, an adjustment note for credits
 * of what earlier documents charged. Numbers have no gap, since they stand or fall with the close. The files are made
 * after it, by a job. Issuing again issues nothing.
 *
 * @returns ids of the documents, in the order of their numbers; none when the settlement has no fees
 */
export async function issueInvoices(ctx: InvoiceCtx, settlement: ClosedSettlement): Promise<string[]> {
  const { db, sellerId, config, ids, now } = ctx;
  const { settlement_id } = settlement;
  const standing = await invoicesOf(db, sellerId, settlement_id);
  if (standing.length > 0) return standing.map(({ invoice_id }) => invoice_id);
  const groups = await feeGroups(db, sellerId, rangeOf(settlement), config.OPERATOR_UNTAXED_COMPONENTS);
  const documents = planDocuments(groups, config.OPERATOR_GST_MODE);
  if (documents.length === 0) return [];
  const list = await numbered(ctx, settlement, documents);
  await writeDocuments(ctx, settlement, list, groups);
  const rows = await invoicesOf(db, sellerId, settlement_id);
  await appendEvents(
    db,
    { sellerId, ids, now: now(), correlation: { request_id: null, idempotency_key: null } },
    rows.map((row) => ({
      type: INVOICE_ISSUED,
      object_id: row.invoice_id,
      object_version: 1,
      data: { object: invoiceToWire(row) },
    })),
  );
  await ctx.jobs.add(db, {
    kind: RENDER_JOB,
    sellerId,
    payload: { settlement_id },
    uniqueKey: settlement_id,
    dueAt: now(),
  });
  return list.map(({ invoice_id }) => invoice_id);
}
