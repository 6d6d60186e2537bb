/** Billing: what the plan and the account allow. Only the marketplace can change the plan. */
import { defineModule } from '../../kernel/route.ts';
import { routes } from './routes.ts';

export const billingModule = defineModule({
  name: 'billing',
  base: '/billing',
  title: 'Billing',
  summary: 'Entitlement/catalogue reads; paid subscription checkout disabled',
  availability: 'available',
  routes,
});
