/** Fees: the marketplace's charges and its published schedules. See README.md. */
import { defineModule } from '../../kernel/route.ts';
import { feeScheduleChanged } from './events.ts';
import { schedulePublished } from './intake/schedule-published.ts';
import { feeJobs } from './jobs.ts';
import { estimateRoutes } from './routes/estimates.ts';
import { fileRoutes } from './routes/files.ts';
import { orderRoutes } from './routes/orders.ts';
import { scheduleRoutes } from './routes/schedule.ts';

export { ratesOfOrder } from './domain/schedule.ts';
export { allSchedules, hasRates, scheduleAt, scheduleOfOrder } from './store/schedules.ts';

export const feesModule = defineModule({
  name: 'fees',
  base: '/fees',
  title: 'Fees',
  summary: 'Commission structures, transaction fees',
  availability: 'available',
  systemReasons: ['published-rates'],
  routes: [...scheduleRoutes, ...estimateRoutes, ...orderRoutes, ...fileRoutes],
  marketplaceEvents: [schedulePublished],
  events: [feeScheduleChanged],
  jobs: feeJobs,
});
