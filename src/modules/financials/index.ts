/** The area `/financials`: its routes, jobs and events belong to the modules named here. */
import { defineModule } from '../../kernel/route.ts';
import { accountRoutes } from '../account/index.ts';
import {
  invoiceEvents,
  invoiceJobs,
  invoiceRoutes,
  invoiceSettings,
  issueInvoices,
} from '../invoices/index.ts';
import { auditGauges, ledgerSettings } from '../ledger/index.ts';
import { payoutEvents, payoutUpdated } from '../payouts/index.ts';
import { providerReported, reconcileJobs } from '../reconciliation/index.ts';
import {
  settlementEvents,
  settlementJobs,
  settlementMachine,
  settlementMarketplaceEvents,
  settlementRoutes,
  settlementSettings,
} from '../settlements/index.ts';
import { auditJob } from './jobs/audit.ts';

export { readFindings } from './jobs/audit.ts';

export const financialsModule = defineModule({
  name: 'financials',
  base: '/financials',
  title: 'Financials',
  summary: 'Records, settlements, activity, exports',
  availability: 'available',
  ids: ['stl_', 'inv_', 'txn_', 'jnl_'],
  machines: [settlementMachine],
  systemReasons: ['ledger-audit'],
  settings: {
    table: { ...ledgerSettings.table, ...settlementSettings.table, ...invoiceSettings.table },
  },
  neverPaths: ['/taxes/summary'],
  routes: [...accountRoutes, ...settlementRoutes, ...invoiceRoutes],
  jobs: [auditJob, ...reconcileJobs, ...settlementJobs(issueInvoices), ...invoiceJobs],
  events: [...settlementEvents, ...payoutEvents, ...invoiceEvents],
  marketplaceEvents: [...settlementMarketplaceEvents, payoutUpdated, providerReported],
  gauges: auditGauges,
});
