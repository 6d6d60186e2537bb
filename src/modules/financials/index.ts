/** Money: the ledger, and everything that is read from it. See README.md. */
import { defineModule } from '../../kernel/route.ts';
import { auditJob } from './audit-job.ts';
import { invoiceEvents } from './invoice-events.ts';
import { invoiceJobs } from './invoice-jobs.ts';
import { invoiceRoutes } from './routes/invoices.ts';
import { auditGauges } from './store/invariants.ts';

export { readFindings } from './actions/audit-ledger.ts';
export { type Because, type BookingCtx, bookOrder, freezeTerms } from './actions/book-order.ts';
export { type LedgerCtx, type Posted, postJournals } from './actions/post-journals.ts';
export {
  type JournalKind,
  type Leg,
  mirrored,
  move,
  type NewJournal,
  type StatementLine,
  statementLegs,
} from './domain/journal.ts';
export type {
  MoneyDispute,
  MoneyLine,
  MoneyRefund,
  OrderMoney,
  OrderTerms,
} from './domain/order-money.ts';

export const financialsModule = defineModule({
  name: 'financials',
  base: '/financials',
  title: 'Financials',
  summary: 'Records, settlements, activity, exports',
  availability: 'available',
  neverPaths: ['/taxes/summary'],
  routes: [...invoiceRoutes],
  jobs: [auditJob, ...invoiceJobs],
  events: [...invoiceEvents],
  gauges: auditGauges,
});
