/** Drafts are the documents that the next close would issue. */

import type { Acting } from '../../../kernel/context.ts';
import { currencyExponent, minorToJson } from '../../../kernel/money.ts';
import { type OpenSettlement, openSettlements, operatorOf, policyOf } from '../../settlements/index.ts';
import { planDocuments } from '../domain/invoice.ts';
import type { InvoiceResource } from '../schemas/invoice.ts';
import { invoiceSettings } from '../settings.ts';
import { feeGroups, recipientOf } from '../store/invoices.ts';
import { adjustsOf, documentId } from './issue-invoices.ts';

type DraftCtx = Pick<Acting, 'db' | 'seller_id' | 'config'>;

async function draftsOf(ctx: DraftCtx, { row, range }: OpenSettlement): Promise<InvoiceResource[]> {
  const { OPERATOR_GST_MODE, OPERATOR_UNTAXED_COMPONENTS } = invoiceSettings.of(ctx.config);
  const groups = await feeGroups(ctx, range, OPERATOR_UNTAXED_COMPONENTS);
  const documents = planDocuments(groups, OPERATOR_GST_MODE);
  if (documents.length === 0) return [];
  const { name, abn } = operatorOf(ctx.config);
  const recipient = await recipientOf(ctx);
  return documents.map((document) => ({
    invoice_id: documentId(ctx.seller_id, row, document),
    invoice_number: null,
    kind: document.kind,
    settlement_id: row.settlement_id,
    period_start: row.period_start,
    period_end: row.period_end,
    issued_on: null,
    status: 'draft',
    currency: row.currency,
    currency_exponent: currencyExponent(row.currency),
    total_minor: minorToJson(document.total),
    lines: document.lines.map((line) => ({ ...line })),
    adjusts_invoice_ids: adjustsOf(document, groups),
    paid_by: 'settlement_deduction',
    supplier: { name, abn },
    recipient: { ...recipient, address_lines: [...(recipient.address_lines ?? [])] },
    pdf_status: 'pending',
    pdf_path: null,
    pdf_sha256: null,
    created_at: null,
  }));
}

/** The documents that a close would issue now for each open settlement with fees. They keep their ids at the close. */
export async function draftInvoices(ctx: DraftCtx): Promise<InvoiceResource[]> {
  const drafts = [];
  for (const settlement of await openSettlements(ctx, policyOf(ctx)))
    drafts.push(...(await draftsOf(ctx, settlement)));
  return drafts;
}
