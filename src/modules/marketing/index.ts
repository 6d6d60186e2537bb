/** Marketing: promotions that the seller pays for and the marketplace grants. See docs/design/marketing.md. */
import { defineModule } from '../../kernel/route.ts';
import { promotionMachine } from './domain/promotion-machine.ts';
import { promotionEvents } from './events.ts';
import { promotionIntake } from './intake/promotions.ts';
import { marketingJobs } from './jobs.ts';
import { marketingRoutes } from './routes.ts';

export { followUnits, type PromotedOrder, useDiscounts } from './actions/use.ts';

export const marketingModule = defineModule({
  name: 'marketing',
  base: '/marketing',
  title: 'Marketing',
  summary: 'Support APIs for enabled growth workflows',
  availability: 'available',
  accountGated: true,
  ids: ['prm_'],
  machines: [promotionMachine],
  routes: marketingRoutes,
  events: Object.values(promotionEvents),
  marketplaceEvents: promotionIntake,
  jobs: marketingJobs,
});
