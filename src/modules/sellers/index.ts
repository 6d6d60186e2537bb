/** Sellers: who they are, how they are set up, who works for them, and what the marketplace says of them. */
import { defineModule } from '../../kernel/route.ts';
import { sellerEvents } from './events.ts';
import { standingChanged } from './intake/standing-changed.ts';
import { sellerJobs } from './jobs.ts';
import { businessRoutes } from './routes/business.ts';
import { holidayRoutes } from './routes/holiday.ts';
import { memberRoutes } from './routes/members.ts';
import { profileRoutes } from './routes/profile.ts';
import { settingsRoutes } from './routes/settings.ts';
import { abnRoutes } from './routes/validate-abn.ts';

export const sellersModule = defineModule({
  name: 'sellers',
  base: '/sellers',
  title: 'Sellers',
  summary: 'Profile, settings, business details',
  availability: 'available',
  systemReasons: ['abn-register-cache'],
  routes: [
    ...profileRoutes,
    ...settingsRoutes,
    ...businessRoutes,
    ...holidayRoutes,
    ...memberRoutes,
    ...abnRoutes,
  ],
  events: sellerEvents,
  marketplaceEvents: [standingChanged],
  jobs: sellerJobs,
});
