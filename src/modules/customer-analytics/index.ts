/** Buyers as segments and cohorts, never one by one. See docs/design/customer-analytics.md. */
import { defineModule } from '../../kernel/route.ts';
import { customerNight } from './jobs.ts';
import { customerRoutes } from './routes.ts';

export const customerAnalyticsModule = defineModule({
  name: 'customer-analytics',
  base: '/customer-analytics',
  title: 'Customer analytics',
  summary: 'Segmentation, cohorts, lifetime value',
  availability: 'available',
  routes: customerRoutes,
  nightSteps: [customerNight],
});
