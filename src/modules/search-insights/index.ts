/** Searches of buyers that showed the seller's products. See docs/design/search-insights.md. */
import { defineModule } from '../../kernel/route.ts';
import { searchEvents } from './events.ts';
import { searchObserved } from './intake/observed.ts';
import { searchRoutes } from './routes.ts';

export const searchInsightsModule = defineModule({
  name: 'search-insights',
  base: '/search-insights',
  title: 'Search insights',
  summary: 'Limited; empty means no usable report, not zero demand',
  availability: 'available',
  routes: searchRoutes,
  events: Object.values(searchEvents),
  marketplaceEvents: [searchObserved],
});
