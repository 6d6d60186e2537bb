/** Sourcing: several suppliers are asked at once, their quotes compared and awarded. See README.md. */
import { defineModule } from '../../kernel/route.ts';
import { quoteMachine, rfqMachine } from './domain/rfq-machine.ts';
import { quoteEvents, sourcingEvents } from './events.ts';
import { supplierAnswers } from './intake/answers.ts';
import { sourcingJobs } from './jobs.ts';
import { rfqRoutes } from './routes/rfqs.ts';
import { supplierRoutes } from './routes/suppliers.ts';

export const sourcingModule = defineModule({
  name: 'sourcing',
  base: '/sourcing',
  title: 'Sourcing',
  summary: 'Seller-side supplier sourcing',
  availability: 'available',
  ids: ['rfq_', 'quo_'],
  machines: [rfqMachine, quoteMachine],
  routes: [...supplierRoutes, ...rfqRoutes],
  events: [...Object.values(sourcingEvents), ...Object.values(quoteEvents)],
  marketplaceEvents: supplierAnswers,
  jobs: sourcingJobs,
});
