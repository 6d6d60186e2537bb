/** Events to sellers' own systems: pulled by number, or delivered to endpoints. */
import { defineModule, type ModuleDef } from '../../kernel/route.ts';
import { eventTypesRoute } from './event-types-routes.ts';
import { eventsRoutes } from './events-routes.ts';

/** @param modules all areas: what sellers can be told stands in their declarations */
export const createWebhooksModule = (modules: () => readonly ModuleDef[]): ModuleDef =>
  defineModule({
    name: 'webhooks',
    base: '/webhooks',
    title: 'Webhooks',
    summary: 'Outbound webhook management and delivery records',
    availability: 'available',
    routes: [...eventsRoutes, eventTypesRoute(modules)],
  });
