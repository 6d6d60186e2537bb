/** The marketplace's terms: their versions, and the acceptances of sellers. */
import { defineModule } from '../../kernel/route.ts';
import { agreementEvents } from './events.ts';
import { agreementPublished } from './intake/published.ts';
import { agreementJobs } from './jobs.ts';
import { agreementRoutes } from './routes.ts';

export const agreementModule = defineModule({
  name: 'seller-agreement',
  base: '/seller-agreement',
  title: 'Seller agreement',
  summary: 'Terms acceptance',
  availability: 'available',
  ids: ['acc_'],
  routes: agreementRoutes,
  events: agreementEvents,
  marketplaceEvents: [agreementPublished],
  jobs: agreementJobs,
});
