/** Billing: what the plan and the account allow. Plans are changed by the marketplace, never bought here. */
import { defineModule, type ModuleDef } from '../../kernel/route.ts';
import { createRoutes } from './routes.ts';

/** @param modules the list of all modules; asked at each request, because it holds this one too */
export function createBillingModule(modules: () => readonly ModuleDef[]): ModuleDef {
  return defineModule({
    name: 'billing',
    base: '/billing',
    title: 'Billing',
    summary: 'Entitlement/catalogue reads; paid subscription checkout disabled',
    availability: 'available',
    routes: createRoutes(modules),
  });
}
