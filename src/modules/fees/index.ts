/** Fees: what the marketplace charges, by published schedules. See README.md. */
import { defineModule } from '../../kernel/route.ts';
import { schedulePublished } from './intake/schedule-published.ts';
import { estimateRoutes } from './routes/estimates.ts';
import { orderRoutes } from './routes/orders.ts';
import { scheduleRoutes } from './routes/schedule.ts';

export {
  DEFAULT_SCHEDULE,
  type FeeSchedule,
  type OrderRates,
  overrideFor,
  type PlatformFeeRate,
  type RatedLine,
  type RateSource,
  rateOfLine,
  ratesOfOrder,
} from './domain/schedule.ts';
export { allSchedules, scheduleAt, scheduleOfVersion } from './store/schedules.ts';

export const feesModule = defineModule({
  name: 'fees',
  base: '/fees',
  title: 'Fees',
  summary: 'Commission structures, transaction fees',
  availability: 'available',
  systemReasons: ['published-rates'],
  routes: [...scheduleRoutes, ...estimateRoutes, ...orderRoutes],
  marketplaceEvents: [schedulePublished],
});
