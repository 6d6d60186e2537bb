/** Onboarding: what a new seller has done and what it lacks, read from the facts of the other areas. */
import { defineModule } from '../../kernel/route.ts';
import { onboardingRoutes } from './routes.ts';

export const onboardingModule = defineModule({
  name: 'onboarding',
  base: '/onboarding',
  title: 'Onboarding',
  summary: 'Setup wizard, progress',
  availability: 'available',
  routes: onboardingRoutes,
});
