/** Profitability: the cost components that the marketplace knows. */
import { defineModule } from '../../kernel/route.ts';
import { routes } from './routes/orders.ts';

export const profitabilityModule = defineModule({
  name: 'profitability',
  base: '/profitability',
  title: 'Cost components',
  summary: 'Coverage-gated known cost components',
  availability: 'available',
  routes,
});
