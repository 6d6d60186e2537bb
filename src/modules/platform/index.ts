/** The health of the service itself. It has no routes for sellers. */
import { defineModule } from '../../kernel/route.ts';
import { retentionJobs } from './jobs.ts';
import { routes } from './routes.ts';

export const platformModule = defineModule({
  name: 'platform',
  base: '',
  title: 'Platform',
  summary: 'Health of the service itself',
  availability: 'available',
  ids: ['evt_', 'fil_', 'job_', 'req_'],
  routes,
  jobs: retentionJobs,
});
