/** Fee invoices and adjustment notes of settlements. See README.md. */

export { issueInvoices } from './actions/issue-invoices.ts';
export { invoiceEvents } from './events.ts';
export { invoiceJobs } from './jobs.ts';
export { invoiceRoutes } from './routes/invoices.ts';
export { invoiceSettings } from './settings.ts';
export { INVOICE_INVARIANTS } from './store/invariants.ts';
