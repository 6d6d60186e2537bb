import { defineEvent, type OutgoingEventDef } from '../../kernel/events.ts';
import { INVOICE_EXAMPLE, Invoice } from './schemas/invoice.ts';

export const invoiceIssued = defineEvent({
  type: 'invoice.issued',
  summary: 'A fee document was issued with the close of a settlement; its PDF follows',
  schema: Invoice,
  id: 'invoice_id',
  example: { ...INVOICE_EXAMPLE, pdf_status: 'pending', pdf_path: null, pdf_sha256: null },
  notification: { severity: 'info', title: 'The fee document {invoice_number} of {total_minor} was issued' },
});

export const invoiceEvents: readonly OutgoingEventDef[] = [invoiceIssued];
