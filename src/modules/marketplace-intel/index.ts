/** Aggregates over the sellers of a category, as the marketplace sends them. See docs/design/marketplace-intel.md. */
import { defineModule } from '../../kernel/route.ts';
import { intelObserved } from './intake/observed.ts';
import { intelRoutes } from './routes.ts';

export const marketplaceIntelModule = defineModule({
  name: 'marketplace-intel',
  base: '/marketplace-intel',
  title: 'Marketplace intel',
  summary: 'Limited, account-enabled aggregates',
  availability: 'available',
  accountGated: true,
  routes: intelRoutes,
  marketplaceEvents: [intelObserved],
});
