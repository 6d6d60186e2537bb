/** Issues the fee documents of a settlement, in the transaction that closes it. */

import { createHash } from 'node:crypto';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { type ClosedSettlement, type LineRange, operatorOf } from '../../settlements/index.ts';
import { canRender, invoiceNumber, type PlannedDocument, planDocuments } from '../domain/invoice.ts';
import { invoiceIssued } from '../events.ts';
import { invoiceToWire } from '../schemas/invoice-to-wire.ts';
import { invoiceSettings } from '../settings.ts';
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

/** The days whose lines the settlement has. */
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
 * The id of a document of a period. Its draft has the same id. A period has at most one document of each kind for
 * taxable fees, and one for other fees.
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
  ctx: Acting,
  settlement: ClosedSettlement,
  documents: readonly PlannedDocument[],
): Promise<Numbered[]> {
  const first = await takeNumbers(ctx, documents.length);
  return documents.map((document, index) => ({
    document,
    invoice_id: documentId(ctx.seller_id, settlement, document),
    invoice_number: invoiceNumber(ctx.seller_id, first + index),
  }));
}

const placingsOf = (list: readonly Numbered[]): Placing[] =>
  list.flatMap(({ document: { untaxed, earlier }, invoice_id }) =>
    earlier.map((one) => ({ untaxed, earlier: one, invoice_id })),
  );

/** The earlier documents that fees concern. */
const adjustedBy = (groups: readonly StoredFees[]): string[] =>
  [...new Set(groups.flatMap(({ adjusts }) => adjusts))].sort();

/** The earlier documents that a document adjusts. Only an adjustment note has some: those of its fees. */
export const adjustsOf = ({ kind, untaxed }: PlannedDocument, groups: readonly StoredFees[]): string[] =>
  kind === 'adjustment_note' ? adjustedBy(groups.filter((group) => group.untaxed === untaxed)) : [];

/** Writes the documents, assigns the fees to them, and marks the documents that they adjust. */
async function writeDocuments(
  ctx: Acting,
  settlement: ClosedSettlement,
  list: readonly Numbered[],
  groups: readonly StoredFees[],
): Promise<void> {
  const { settlement_id, currency, period_start, period_end, closed_at } = settlement;
  const untaxed = invoiceSettings.of(ctx.config).OPERATOR_UNTAXED_COMPONENTS;
  const supplier = operatorOf(ctx.config);
  const recipient = await recipientOf(ctx);
  for (const { document, invoice_id, invoice_number } of list) {
    const row: NewInvoice = {
      invoice_id,
      invoice_number,
      kind: document.kind,
      ...{ settlement_id, currency, period_start, period_end, supplier, recipient },
      issued_on: sydneyDate(Date.parse(closed_at)),
      total_minor: document.total,
      gst_mode: document.gst_mode,
      adjusts_invoice_ids: adjustsOf(document, groups),
      lines: document.lines,
      pdf_status: canRender(supplier, document.gst_mode) ? 'pending' : 'unavailable',
      created_at: closed_at,
    };
    await insertInvoice(ctx, row);
  }
  await assignFees(ctx, rangeOf(settlement), untaxed, placingsOf(list));
  await markAdjusted(ctx, adjustedBy(groups));
}

/**
 * Issues the documents for the fees of a settlement: an invoice for charges, and an adjustment note for credits of
 * charges in earlier documents. The numbers are taken in the transaction of the close, so they have no gap. A job makes
 * the files afterwards. A second call issues nothing.
 *
 * @returns the ids of the documents, in the order of their numbers; none if the settlement has no fees
 */
export async function issueInvoices(ctx: Acting, settlement: ClosedSettlement): Promise<string[]> {
  const { settlement_id } = settlement;
  const existing = await invoicesOf(ctx, settlement_id);
  if (existing.length > 0) return existing.map(({ invoice_id }) => invoice_id);
  const { OPERATOR_GST_MODE, OPERATOR_UNTAXED_COMPONENTS } = invoiceSettings.of(ctx.config);
  const groups = await feeGroups(ctx, rangeOf(settlement), OPERATOR_UNTAXED_COMPONENTS);
  const documents = planDocuments(groups, OPERATOR_GST_MODE);
  if (documents.length === 0) return [];
  const list = await numbered(ctx, settlement, documents);
  await writeDocuments(ctx, settlement, list, groups);
  const rows = await invoicesOf(ctx, settlement_id);
  await ctx.emit(...rows.map((row) => invoiceIssued.of(invoiceToWire(row))));
  await ctx.jobs.add({
    kind: RENDER_JOB,
    payload: { settlement_id },
    uniqueKey: settlement_id,
    dueAt: ctx.now(),
  });
  return list.map(({ invoice_id }) => invoice_id);
}
