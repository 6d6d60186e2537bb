/** How ready products are for sale, and how well the seller serves its orders. See docs/design/quality.md. */
import { defineModule } from '../../kernel/route.ts';
import { qualityEvents } from './events.ts';
import { refreshLoop } from './jobs/refresh-loop.ts';
import { readinessRoutes } from './routes/readiness.ts';

export const qualityModule = defineModule({
  name: 'quality',
  base: '/quality',
  title: 'Quality',
  summary: 'Listing-readiness; portal routes deferred',
  availability: 'available',
  absentPaths: [
    { path: '/portal', availability: 'deferred', reason: 'The routes of the quality portal are deferred.' },
  ],
  routes: readinessRoutes,
  events: Object.values(qualityEvents),
  loops: [refreshLoop],
});
