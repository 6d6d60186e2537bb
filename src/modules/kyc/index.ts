/** Verification of the seller's identity for the marketplace: what is asked for, what was handed in, what was decided. */
import { defineModule } from '../../kernel/route.ts';
import { caseMachine } from './domain/case-machine.ts';
import { kycEvents } from './events.ts';
import { kycMarketplaceEvents } from './intake/events.ts';
import { kycJobs } from './jobs.ts';
import { kycRoutes } from './routes.ts';
import { kycSettings } from './settings.ts';

export const kycModule = defineModule({
  name: 'kyc',
  base: '/kyc',
  title: 'KYC',
  summary: 'Identity verification',
  availability: 'available',
  ids: ['kyc_', 'kyi_'],
  settings: kycSettings,
  machines: [caseMachine],
  routes: kycRoutes,
  events: kycEvents,
  marketplaceEvents: kycMarketplaceEvents,
  jobs: kycJobs,
});
