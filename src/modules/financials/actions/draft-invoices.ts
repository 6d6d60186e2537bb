/** What the next close will invoice, as it stands: nothing of it is issued yet. */
import type { Db } from '../../../kernel/context.ts';
import { currencyExponent, minor, minorToJson, sumMinor } from '../../../kernel/money.ts';
import type { Services } from '../../../platform/services.ts';
import { bucketOf, componentOf, type EntryType } from '../domain/entry-types.ts';
import { type FeeGroup, type InvoiceKind, invoiceLines } from '../domain/invoice.ts';
import { operatorOf } from '../invoice/operator.ts';
import { policyOf } from '../policy.ts';
import type { InvoiceResource } from '../schemas/invoice.ts';
import { recipientOf } from '../store/invoices.ts';
import type { SettlementRow } from '../store/settlements.ts';
import { draftId } from './issue-invoices.ts';
import { openSettlements } from './open-settlements.ts';

/** The fees of an open settlement; which of them concern earlier documents is decided at the close. */
const feesOf = ({ by_type }: SettlementRow): FeeGroup[] =>
  Object.entries(by_type).flatMap(([name, { lines, amount_minor }]) => {
    const type = name as EntryType;
    if (bucketOf(type) !== 'fees') return [];
    const amount = minor(-amount_minor);
    return [
      { type, component: componentOf(type) ?? '', untaxed: false, earlier: false, quantity: lines, amount },
    ];
  });

/**
 * The drafts of a seller: one for each open settlement with fees, under the id that the invoice will have.
 *
 * @param services configuration: whose invoice, and how periods run
 */
export async function draftInvoices(
  db: Db,
  sellerId: string,
  services: Pick<Services, 'config'>,
): Promise<InvoiceResource[]> {
  const { config } = services;
  const open = await openSettlements(db, sellerId, policyOf(services));
  const withFees = open.map(({ row }) => ({ row, fees: feesOf(row) })).filter(({ fees }) => fees.length > 0);
  if (withFees.length === 0) return [];
  const { name, abn } = operatorOf(config);
  const recipient = await recipientOf(db, sellerId);
  const kind: InvoiceKind = config.OPERATOR_GST_MODE === 'registered' ? 'tax_invoice' : 'invoice';
  return withFees.map(({ row, fees }) => ({
    invoice_id: draftId(sellerId, row),
    invoice_number: null,
    kind,
    settlement_id: row.settlement_id,
    period_start: row.period_start,
    period_end: row.period_end,
    issued_on: null,
    status: 'draft',
    currency: row.currency,
    currency_exponent: currencyExponent(row.currency),
    total_minor: minorToJson(sumMinor(fees.map(({ amount }) => amount))),
    lines: invoiceLines(fees),
    adjusts_invoice_ids: [],
    paid_by: 'settlement_deduction',
    supplier: { name, abn },
    recipient: { ...recipient },
    pdf_status: 'pending',
    pdf_path: null,
    pdf_sha256: null,
    created_at: null,
  }));
}
