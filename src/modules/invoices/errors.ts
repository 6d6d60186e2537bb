import { defineErrors } from '../../kernel/errors.ts';

export const invoiceErrors = defineErrors({
  invoice_draft: {
    status: 409,
    detail: 'The invoice is a draft: its settlement is still open. The PDF is made when it closes.',
    facts: { status: 'draft' },
  },
  invoice_pdf_unavailable: {
    status: 503,
    detail: 'The PDF of this invoice is not available yet; retry after the seconds in Retry-After.',
    facts: { pdf_status: 'unavailable' },
  },
});
