/** Dropship: suppliers count and ship products of the seller. See README.md. */
import { defineModule } from '../../kernel/route.ts';
import { listingMachine } from './domain/listing-machine.ts';
import { listingEvents } from './events.ts';
import { dropshipJobs } from './jobs.ts';
import { listingRoutes } from './routes/listings.ts';

export const dropshipModule = defineModule({
  name: 'dropship',
  base: '/dropship',
  title: 'Dropship',
  summary: 'Seller-side supplier-backed listings and orders (beta)',
  availability: 'available',
  stage: 'beta',
  ids: ['dsl_'],
  machines: [listingMachine],
  routes: listingRoutes,
  events: Object.values(listingEvents),
  jobs: dropshipJobs,
});
