/** Pricing: recommended prices, and what a price would leave. It never writes a price. See docs/design/pricing.md. */
import { defineModule } from '../../kernel/route.ts';
import { recommendationsChanged } from './events.ts';
import { priceObserved } from './intake/price-observed.ts';
import { pricingJobs, pricingNight } from './jobs.ts';
import { guardrailRoutes } from './routes/guardrails.ts';
import { productRoutes } from './routes/products.ts';
import { ruleRoutes } from './routes/rules.ts';
import { simulationRoutes } from './routes/simulations.ts';

export { CHANGED_JOB, requestPass, usesPricing, WHOLE_JOB } from './actions/run-pass.ts';

export const pricingModule = defineModule({
  name: 'pricing',
  base: '/pricing',
  title: 'Pricing',
  summary: 'Competitive recommendations and automation unavailable for live price changes',
  availability: 'available',
  accountGated: true,
  ids: ['prr_'],
  routes: [...productRoutes, ...guardrailRoutes, ...ruleRoutes, ...simulationRoutes],
  events: [recommendationsChanged],
  marketplaceEvents: [priceObserved],
  jobs: pricingJobs,
  nightSteps: [pricingNight],
});
