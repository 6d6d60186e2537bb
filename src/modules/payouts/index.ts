/** Payouts bring the amount of a settlement to the seller's bank. See README.md. */
import { defineModule } from '../../kernel/route.ts';
import { payoutMachine } from './domain/payout-machine.ts';
import { payoutJobs } from './jobs.ts';
import { CALLBACKS, EXCEPTIONS } from './metrics.ts';
import { CALLBACK_AREA, callbackRoutes } from './routes/callbacks.ts';
import { fileRoutes } from './routes/files.ts';
import { recordRoutes } from './routes/records.ts';
import { setupRoutes } from './routes/setup.ts';
import { payoutSettings } from './settings.ts';

export { asksForAccount } from './actions/providers.ts';
export { payoutEvents } from './events.ts';
export { payoutUpdated } from './intake/payout-updated.ts';
export { PAYOUT_INVARIANTS } from './store/invariants.ts';

export const payoutsModule = defineModule({
  name: 'payouts',
  base: '/payouts',
  title: 'Payout setup',
  summary: 'Payment-provider onboarding and dashboard links',
  availability: 'available',
  ids: ['pay_', 'pac_', 'pcb_'],
  machines: [payoutMachine],
  routes: setupRoutes,
  settings: payoutSettings,
  systemReasons: ['payment-callback'],
  jobs: payoutJobs,
  counters: [CALLBACKS, EXCEPTIONS],
});

export const callbacksModule = defineModule({
  ...CALLBACK_AREA,
  base: '/webhooks/stripe',
  summary: 'Provider callbacks only',
  availability: 'available',
  publicPaths: [''],
  routes: callbackRoutes,
});

export const paymentsModule = defineModule({
  name: 'payments-payouts',
  base: '/payments/payouts',
  title: 'Payout records',
  summary: 'Seller-scoped reads and history',
  availability: 'available',
  routes: [...recordRoutes, ...fileRoutes],
});
