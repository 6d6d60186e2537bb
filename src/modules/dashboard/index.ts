/** Operational summaries: figures of other areas on one page. */
import { defineModule } from '../../kernel/route.ts';
import { routes } from './routes.ts';

export const dashboardModule = defineModule({
  name: 'dashboard',
  base: '/dashboard',
  title: 'Dashboard',
  summary: 'Operational summaries',
  availability: 'available',
  routes,
});
