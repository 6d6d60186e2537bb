/** What the next close will issue, as it stands: none of it is issued yet. */

import type { Db } from '../../../kernel/context.ts';
import { currencyExponent, minorToJson } from '../../../kernel/money.ts';
import type { Services } from '../../../platform/services.ts';
import { type OpenSettlement, openSettlements, operatorOf, policyOf } from '../../settlements/index.ts';
import { planDocuments } from '../domain/invoice.ts';
import type { InvoiceResource } from '../schemas/invoice.ts';
import { feeGroups, recipientOf } from '../store/invoices.ts';
import { adjustsOf, documentId } from './issue-invoices.ts';

type Tools = Pick<Services, 'config'>;

async function draftsOf(
  db: Db,
  sellerId: string,
  { row, range }: OpenSettlement,
  { config }: Tools,
): Promise<InvoiceResource[]> {
  const groups = await feeGroups(db, sellerId, range, config.OPERATOR_UNTAXED_COMPONENTS);
  const documents = planDocuments(groups, config.OPERATOR_GST_MODE);
  if (documents.length === 0) return [];
  const { name, abn } = operatorOf(config);
  const recipient = await recipientOf(db, sellerId);
  return documents.map((document) => ({
    invoice_id: documentId(sellerId, row, document),
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
    recipient: { ...recipient },
    pdf_status: 'pending',
    pdf_path: null,
    pdf_sha256: null,
    created_at: null,
  }));
}

/**
 * The drafts of a seller: the documents of each open settlement with fees, under the ids that they will have. Were
 * nothing to come, they would be issued as they are.
 *
 * @param services configuration: whose documents, and how periods run
 */
export async function draftInvoices(db: Db, sellerId: string, services: Tools): Promise<InvoiceResource[]> {
  const open = await openSettlements(db, sellerId, policyOf(services));
  const drafts = [];
  for (const settlement of open) drafts.push(...(await draftsOf(db, sellerId, settlement, services)));
  return drafts;
}
