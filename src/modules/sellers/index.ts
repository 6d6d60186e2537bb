/** Sellers: their profile and settings, their members and sessions, and their standing with the marketplace. */
import { defineModule } from '../../kernel/route.ts';
import { sellerEvents } from './events.ts';
import { sellerProvisioned } from './intake/provisioned.ts';
import { standingChanged } from './intake/standing-changed.ts';
import { taxIdReleased } from './intake/tax-id-released.ts';
import { sellerJobs } from './jobs.ts';
import { businessRoutes } from './routes/business.ts';
import { holidayChanged, holidayRoutes } from './routes/holiday.ts';
import { memberRoutes } from './routes/members.ts';
import { profileChanged, profileRoutes } from './routes/profile.ts';
import { settingsChanged, settingsRoutes } from './routes/settings.ts';
import { abnRoutes } from './routes/validate-abn.ts';
import { verificationRoute } from './routes/verification.ts';
import { sellerSettings } from './settings.ts';

export { acceptInvitation } from './actions/accept-invitation.ts';
export { registerSeller } from './actions/register-seller.ts';
export { TAX_ID_CHECKS } from './domain/classify-tax-id.ts';
export { invitationErrors, registrationErrors, sellerErrors } from './errors.ts';
export { Role } from './schemas/member.ts';
export { BusinessName, TaxId } from './schemas/registration.ts';
export { asksRegister } from './settings.ts';
export {
  type AgreementDue,
  lockSellersBehind,
  lockSellersToRemind,
  type NextNotice,
  nextAgreementNotice,
  writeAgreementDue,
  writeNextNotice,
} from './store/agreement-due.ts';
export { requireSeller } from './store/seller-row.ts';
export { endSession, openSession } from './store/sessions.ts';
export { readTrading, type Trading } from './store/trading.ts';

export const sellersModule = defineModule({
  name: 'sellers',
  base: '/sellers',
  title: 'Sellers',
  summary: 'Profile, settings, business details',
  availability: 'available',
  ids: ['slr_', 'mbr_'],
  systemReasons: ['abn-register-cache', 'accept-invitation', 'register-seller'],
  settings: sellerSettings,
  routes: [
    ...profileRoutes,
    ...settingsRoutes,
    ...businessRoutes,
    ...holidayRoutes,
    ...memberRoutes,
    ...abnRoutes,
    verificationRoute,
  ],
  events: [...sellerEvents, profileChanged, settingsChanged, holidayChanged],
  marketplaceEvents: [standingChanged, sellerProvisioned, taxIdReleased],
  jobs: sellerJobs,
});
