/** The health of the service itself. It has no routes for sellers. */
import { defineModule } from '../../kernel/route.ts';
import { buyerErased } from '../../platform/buyers/buyer-erased.ts';
import { policyPublished } from '../../platform/service-policy/published.ts';
import { erasureRequested } from './intake/erasure-requested.ts';
import { platformJobs } from './jobs.ts';
import { routes } from './routes.ts';

export const platformModule = defineModule({
  name: 'platform',
  base: '',
  title: 'Platform',
  summary: 'Health of the service itself',
  availability: 'available',
  ids: ['evt_', 'fil_', 'job_', 'req_', 'byr_', 'att_'],
  routes,
  events: [buyerErased],
  marketplaceEvents: [erasureRequested, policyPublished],
  jobs: platformJobs,
});
