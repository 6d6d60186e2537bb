import { currencyExponent, minor, minorToJson } from '../../../kernel/money.ts';
import type { InvoiceRow } from '../store/invoices.ts';
import type { InvoiceResource } from './invoice.ts';

const pathOf = (invoiceId: string): string => `/api/v1/financials/invoices/${invoiceId}/pdf`;

/** A document as the API shows it, without the location of its file. */
export function invoiceToWire(row: InvoiceRow): InvoiceResource {
  const { total_minor, supplier, pdf_file_id: _file, gst_mode: _mode, ...same } = row;
  return {
    ...same,
    currency_exponent: currencyExponent(row.currency),
    total_minor: minorToJson(minor(total_minor)),
    lines: row.lines.map((line) => ({ ...line })),
    adjusts_invoice_ids: [...row.adjusts_invoice_ids],
    paid_by: 'settlement_deduction',
    supplier: { name: supplier.name, abn: supplier.abn },
    recipient: { ...row.recipient, address_lines: [...(row.recipient.address_lines ?? [])] },
    pdf_path: row.pdf_status === 'available' ? pathOf(row.invoice_id) : null,
  };
}
