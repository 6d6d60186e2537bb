/** Wholesale: sellers order from suppliers, receive the goods and learn what a unit costs. See README.md. */
import { defineModule } from '../../kernel/route.ts';
import { purchaseMachine } from './domain/purchase-machine.ts';
import { purchaseEvents, receiptEvents } from './events.ts';
import { supplierFacts } from './intake/supplier-facts.ts';
import { wholesaleJobs } from './jobs.ts';
import { exportRoute } from './routes/export.ts';
import { itemRoutes } from './routes/items.ts';
import { moveRoutes } from './routes/moves.ts';
import { orderRoutes } from './routes/orders.ts';
import { receiptRoutes } from './routes/receipts.ts';

export { draftFromQuote } from './actions/drafts.ts';
export { PURCHASE_EXAMPLE, PurchaseOrder, type WirePurchase } from './schemas/orders.ts';

export const wholesaleModule = defineModule({
  name: 'wholesale',
  base: '/wholesale',
  title: 'Wholesale',
  summary: 'Seller-side B2B purchasing (beta)',
  availability: 'available',
  stage: 'beta',
  ids: ['por_', 'pol_', 'rec_'],
  machines: [purchaseMachine],
  routes: [...itemRoutes, exportRoute, ...orderRoutes, ...moveRoutes, ...receiptRoutes],
  events: [...Object.values(purchaseEvents), ...Object.values(receiptEvents)],
  marketplaceEvents: supplierFacts,
  jobs: wholesaleJobs,
});
