/** The seller's account: figures that are read from the ledger and its settlements. See README.md. */
import { activityRoutes } from './routes/activity.ts';
import { activityExportRoutes } from './routes/activity-export.ts';
import { entryRoutes } from './routes/entries.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { overviewRoutes } from './routes/overview.ts';

export { type OrderStatement, orderList, orderStatementJson, readOrders } from './actions/read-orders.ts';
export { readOverview } from './actions/read-overview.ts';
export { readAsOf } from './domain/as-of.ts';
export { firstLineDays, ORDER_STATEMENT_EXAMPLE, OrderStatementSchema } from './schemas/order-statement.ts';
export { OVERVIEW_EXAMPLE, Overview } from './schemas/overview.ts';
export { NO_SKU, type OrderSum, orderSums, skusSold, sumsOfOrders } from './store/order-sums.ts';

export const accountRoutes = [
  ...overviewRoutes,
  ...metricsRoutes,
  ...activityRoutes,
  ...activityExportRoutes,
  ...entryRoutes,
];
