/** Sellers: their profile and settings, their members and sessions, and their standing with the marketplace. */
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

export { registerSeller } from './actions/register-seller.ts';
export { resolveMember } from './actions/resolve-member.ts';
export { TAX_ID_CHECKS } from './domain/classify-tax-id.ts';
export { registrationErrors } from './errors.ts';
export { endSession, openSession } from './store/sessions.ts';

export const sellersModule = defineModule({
  name: 'sellers',
  base: '/sellers',
  title: 'Sellers',
  summary: 'Profile, settings, business details',
  availability: 'available',
  ids: ['slr_', 'mbr_'],
  systemReasons: ['abn-register-cache', 'register-seller', 'resolve-identity'],
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
