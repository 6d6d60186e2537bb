/** How ready products are for sale, and how well the seller serves its orders. See docs/design/quality.md. */

import type { NightStep } from '../../kernel/night-step.ts';
import { defineModule } from '../../kernel/route.ts';
import { contestEraser } from './actions/contests.ts';
import { countNight } from './actions/performance.ts';
import { qualityEvents } from './events.ts';
import { targetsPublished } from './intake/targets.ts';
import { refreshLoop } from './jobs/refresh-loop.ts';
import { performanceRoutes } from './routes/performance.ts';
import { readinessRoutes } from './routes/readiness.ts';

export { performanceContests } from './actions/contests.ts';
export { qualityAtAGlance } from './actions/glance.ts';

const night: NightStep = { name: 'quality', run: (ctx, { through_on }) => countNight(ctx, through_on) };

export const qualityModule = defineModule({
  name: 'quality',
  base: '/quality',
  title: 'Quality',
  summary: 'Listing-readiness; portal routes deferred',
  availability: 'available',
  absentPaths: [
    { path: '/portal', availability: 'deferred', reason: 'The routes of the quality portal are deferred.' },
  ],
  ids: ['qev_'],
  routes: [...readinessRoutes, ...performanceRoutes],
  events: Object.values(qualityEvents),
  marketplaceEvents: [targetsPublished],
  loops: [refreshLoop],
  nightSteps: [night],
  eraser: contestEraser,
});
