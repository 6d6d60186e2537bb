/** Events to sellers' own systems: pulled by number, or delivered to endpoints. See README.md. */
import { defineModule } from '../../kernel/route.ts';
import { deliveryLoop } from './delivery/loop.ts';
import { endpointDisabled, ping } from './events.ts';
import { jobs } from './jobs.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { endpointActionRoutes } from './routes/endpoint-actions.ts';
import { endpointRoutes } from './routes/endpoints.ts';
import { eventTypeRoutes } from './routes/event-types.ts';
import { eventsRoute } from './routes/events.ts';
import { overviewRoute } from './routes/overview.ts';
import { replayRoutes } from './routes/replays.ts';
import { webhookSettings } from './settings.ts';
import { gauges } from './store/gauges.ts';

export const webhooksModule = defineModule({
  name: 'webhooks',
  base: '/webhooks',
  title: 'Webhooks',
  summary: 'Outbound webhook management and delivery records',
  availability: 'available',
  ids: ['whe_', 'dlv_', 'rpl_'],
  systemReasons: ['webhooks'],
  settings: webhookSettings,
  routes: [
    overviewRoute,
    eventsRoute,
    ...eventTypeRoutes,
    ...endpointRoutes,
    ...endpointActionRoutes,
    ...replayRoutes,
    ...deliveryRoutes,
  ],
  events: [endpointDisabled, ping],
  jobs,
  gauges,
  loops: [deliveryLoop],
});
