import { defineEvent, type OutgoingEventDef } from '../../kernel/events.ts';
import { INVOICE_EXAMPLE, Invoice } from './schemas/invoice.ts';

export const INVOICE_ISSUED = 'invoice.issued';

export const invoiceEvents: readonly OutgoingEventDef[] = [
  defineEvent({
    type: INVOICE_ISSUED,
    summary: 'A fee document was issued with the close of a settlement; its PDF follows',
    schema: Invoice,
    example: { ...INVOICE_EXAMPLE, pdf_status: 'pending', pdf_path: null, pdf_sha256: null },
  }),
];
