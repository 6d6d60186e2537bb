/** Money: the ledger, and everything that is read from it. See README.md. */

import { defineModule } from '../../kernel/route.ts';
import { auditGauges } from '../ledger/index.ts';
import { auditJob } from './audit.ts';
import { debtEvents } from './debt-events.ts';
import { debtJob } from './debt-job.ts';
import { settlementEvents } from './events.ts';
import { adjustmentRecorded } from './intake/adjustment-recorded.ts';
import { holdChanged } from './intake/hold-changed.ts';
import { payoutUpdated } from './intake/payout-updated.ts';
import { providerReported } from './intake/provider-reported.ts';
import { reserveEvents } from './intake/reserves.ts';
import { invoiceEvents } from './invoice-events.ts';
import { invoiceJobs } from './invoice-jobs.ts';
import { settlementJobs } from './jobs.ts';
import { reconcileJobs } from './reconcile-job.ts';
import { reserveJob } from './reserve-jobs.ts';
import { activityRoutes } from './routes/activity.ts';
import { activityExportRoutes } from './routes/activity-export.ts';
import { entryRoutes } from './routes/entries.ts';
import { exportRoutes } from './routes/exports.ts';
import { holdRoutes } from './routes/holds.ts';
import { invoiceRoutes } from './routes/invoices.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { overviewRoutes } from './routes/overview.ts';
import { settlementRoutes } from './routes/settlements.ts';

export { type Described, describeFigures, describeList } from './actions/describe-figures.ts';
export {
  type OrderStatement,
  orderStatementJson,
  pageOfOrders,
  readOrders,
} from './actions/read-orders.ts';
export { readOverview } from './actions/read-overview.ts';
export {
  applyProviderWords,
  attemptKey,
  beginAttempt,
  type ProviderWords,
  type Refusal,
} from './actions/send-payout.ts';
export { readFindings } from './audit.ts';
export { readAsOf } from './domain/as-of.ts';
export { CARRY_REASONS, HOLD_REASONS } from './domain/settlement.ts';
export { PAYOUT_STATUSES } from './domain/settlement-machine.ts';
export { readWindow, requireDays } from './domain/window.ts';
export { bom, currency, ofExports } from './http/csv-answer.ts';
export { linePage, linePageResponse } from './http/line-page.ts';
export { payoutList, payoutStatement } from './http/payout-files.ts';
export { EXPECTATIONS, expectedPayouts } from './http/payouts.ts';
export { type ReadCtx, requireSettlement } from './http/settlements.ts';
export { inName } from './job-context.ts';
export { policyOf } from './policy.ts';
export { described, figures } from './routes/access.ts';
export { CLOSED_EXAMPLE, PAID_PAYOUT } from './schemas/examples.ts';
export {
  Amount,
  asOfQuery,
  currencyQuery,
  Day,
  listMetadata,
  listMetadataExample,
  metadata,
  metadataExample,
  payload,
} from './schemas/metadata.ts';
export {
  ORDER_STATEMENT_EXAMPLE,
  OrderStatementSchema,
} from './schemas/order-statement.ts';
export { OVERVIEW_EXAMPLE, Overview } from './schemas/overview.ts';
export { PayoutPage, PayoutSchema, payoutToWire } from './schemas/payout.ts';
export { Money, moneyOf } from './schemas/settlement.ts';
export { NO_SKU, type OrdersOfDays, orderSums, skusSold } from './store/order-sums.ts';
export {
  type DueSettlement,
  dueSettlements,
  type FollowedPayout,
  findPayout,
  followedPayouts,
  listPayouts,
  type PayoutPosition,
  type PayoutRow,
  sumPayouts,
} from './store/payouts.ts';
export { activeHolds, ownMinimum } from './store/settlement-holds.ts';
export type { Line, LinePosition } from './store/statement-lines.ts';

export const financialsModule = defineModule({
  name: 'financials',
  base: '/financials',
  title: 'Financials',
  summary: 'Records, settlements, activity, exports',
  availability: 'available',
  neverPaths: ['/taxes/summary'],
  routes: [
    ...overviewRoutes,
    ...metricsRoutes,
    ...activityRoutes,
    ...activityExportRoutes,
    ...entryRoutes,
    ...holdRoutes,
    ...settlementRoutes,
    ...exportRoutes,
    ...invoiceRoutes,
  ],
  jobs: [auditJob, reserveJob, ...reconcileJobs, debtJob, ...settlementJobs, ...invoiceJobs],
  events: [...settlementEvents, ...invoiceEvents, ...debtEvents],
  marketplaceEvents: [adjustmentRecorded, ...reserveEvents, holdChanged, payoutUpdated, providerReported],
  gauges: auditGauges,
});
