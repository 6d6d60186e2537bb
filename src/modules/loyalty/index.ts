/** The loyalty program: enrolment, points of the seller's orders, and their comparison with the fund. */
import { defineModule } from '../../kernel/route.ts';
import { enrolmentMachine } from './domain/enrolment.ts';
import { loyaltyEvents } from './events.ts';
import { pointsIntake } from './intake/points.ts';
import { programIntake } from './intake/program.ts';
import { loyaltyJobs } from './jobs.ts';
import { loyaltyRoutes } from './routes.ts';
import { mismatchGauge } from './store/fund.ts';

export const loyaltyModule = defineModule({
  name: 'loyalty',
  base: '/loyalty',
  title: 'Loyalty',
  summary: 'Loyalty program, points wallet (beta)',
  availability: 'available',
  stage: 'beta',
  ids: ['len_', 'lmb_', 'ptx_'],
  machines: [enrolmentMachine],
  routes: loyaltyRoutes,
  events: Object.values(loyaltyEvents),
  marketplaceEvents: [...programIntake, ...pointsIntake],
  jobs: loyaltyJobs,
  gauges: [mismatchGauge],
});
