/** Tickets between sellers, the marketplace and buyers, with clocks for both sides. See docs/design/customer-service.md. */
import { defineModule } from '../../kernel/route.ts';
import { attachmentRoutes } from '../../platform/rest/attachment-routes.ts';
import { ticketEraser } from './actions/erase-texts.ts';
import { ticketMachine } from './domain/ticket-machine.ts';
import { ticketEvents } from './events.ts';
import { ticketMarketplaceEvents } from './intake/events.ts';
import { ticketJobs } from './jobs.ts';
import { figureRoutes } from './routes/figures.ts';
import { moveRoutes } from './routes/moves.ts';
import { ticketRoutes } from './routes/tickets.ts';
import { ticketSettings } from './settings.ts';
import { ticketGauges } from './store/gauges.ts';

export const customerServiceModule = defineModule({
  name: 'customer_service',
  base: '/customer_service',
  title: 'Customer service',
  summary: 'Tickets, SLA tracking (beta)',
  availability: 'available',
  stage: 'beta',
  ids: ['tkt_', 'tcm_'],
  settings: ticketSettings,
  machines: [ticketMachine],
  routes: [...ticketRoutes, ...moveRoutes, ...figureRoutes, ...attachmentRoutes('customer_service')],
  events: Object.values(ticketEvents),
  marketplaceEvents: ticketMarketplaceEvents,
  eraser: ticketEraser,
  gauges: ticketGauges,
  jobs: ticketJobs,
});
