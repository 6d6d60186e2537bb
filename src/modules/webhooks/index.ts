/** Events to sellers' own systems: pulled by number, or delivered to endpoints. See README.md. */
import { defineModule, type ModuleDef } from '../../kernel/route.ts';
import { deliveryLoop } from './delivery/loop.ts';
import { eventTypesRoute } from './event-types-routes.ts';
import { events } from './events.ts';
import { eventsRoutes } from './events-routes.ts';
import { jobs } from './jobs.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { endpointActionRoutes } from './routes/endpoint-actions.ts';
import { endpointRoutes } from './routes/endpoints.ts';
import { overviewRoute } from './routes/overview.ts';
import { replayRoutes } from './routes/replays.ts';
import { gauges } from './store/gauges.ts';

/** @param modules all areas: what sellers can be told stands in their declarations */
export const createWebhooksModule = (modules: () => readonly ModuleDef[]): ModuleDef => {
  const knownTypes = (): string[] =>
    modules()
      .flatMap((module) => module.events ?? [])
      .filter(({ sellers }) => sellers !== false)
      .map(({ type }) => type);
  return defineModule({
    name: 'webhooks',
    base: '/webhooks',
    title: 'Webhooks',
    summary: 'Outbound webhook management and delivery records',
    availability: 'available',
    ids: ['whe_', 'dlv_', 'rpl_'],
    systemReasons: ['webhooks'],
    routes: [
      overviewRoute,
      ...eventsRoutes(knownTypes),
      eventTypesRoute(modules),
      ...endpointRoutes(knownTypes),
      ...endpointActionRoutes,
      ...replayRoutes(knownTypes),
      ...deliveryRoutes(knownTypes),
    ],
    events,
    jobs,
    gauges,
    loops: [deliveryLoop],
  });
};
