/** Profitability: what orders brought and cost, with the costs that sellers enter. See README.md. */
import { defineModule } from '../../kernel/route.ts';
import { routes } from './routes/orders.ts';

export const profitabilityModule = defineModule({
  name: 'profitability',
  base: '/profitability',
  title: 'Cost components',
  summary: 'Coverage-gated known cost components',
  availability: 'available',
  ids: ['ucs_'],
  routes,
});
