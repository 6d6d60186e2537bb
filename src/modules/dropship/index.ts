/** Dropship: suppliers count and ship products of the seller. See README.md. */
import { defineModule } from '../../kernel/route.ts';
import { dropshipEraser } from './actions/erase-addresses.ts';
import { dropshipMachine } from './domain/dropship-machine.ts';
import { listingMachine } from './domain/listing-machine.ts';
import { dropshipEvents, listingEvents } from './events.ts';
import { dropshipAnswers } from './intake/dropship-events.ts';
import { dropshipJobs } from './jobs.ts';
import { dropshipOrderRoutes } from './routes/dropship-orders.ts';
import { listingRoutes } from './routes/listings.ts';

export const dropshipModule = defineModule({
  name: 'dropship',
  base: '/dropship',
  title: 'Dropship',
  summary: 'Seller-side supplier-backed listings and orders (beta)',
  availability: 'available',
  stage: 'beta',
  ids: ['dsl_', 'dso_'],
  machines: [listingMachine, dropshipMachine],
  routes: [...listingRoutes, ...dropshipOrderRoutes],
  events: [...Object.values(listingEvents), ...Object.values(dropshipEvents)],
  marketplaceEvents: dropshipAnswers,
  eraser: dropshipEraser,
  jobs: dropshipJobs,
});
