/** Payout setup: through whom a seller is paid, and what that asks of the seller. */
import { defineModule } from '../../kernel/route.ts';
import { payoutJobs } from './jobs.ts';
import { MANUAL } from './provider.ts';
import { setupRoutes } from './routes.ts';

export const payoutsModule = defineModule({
  name: 'payouts',
  base: '/payouts',
  title: 'Payout setup',
  summary: 'Payment-provider onboarding and dashboard links',
  availability: 'available',
  routes: setupRoutes,
  jobs: payoutJobs(MANUAL),
});
