/** Payout records: what was paid, how it went, and what is going to be paid. */
import { defineModule } from '../../kernel/route.ts';
import { fileRoutes } from './files.ts';
import { payoutRoutes } from './routes.ts';

export const paymentsModule = defineModule({
  name: 'payments-payouts',
  base: '/payments/payouts',
  title: 'Payout records',
  summary: 'Seller-scoped reads and history',
  availability: 'available',
  routes: [...payoutRoutes, ...fileRoutes],
});
