/** Forecasts of demand, when stock runs out, and how much to order. See docs/forecasting.md. */
import { defineModule } from '../../kernel/route.ts';
import { forecastNight } from './actions/night.ts';
import { forecastEvents } from './events.ts';
import { forecastRoutes } from './routes.ts';

export const forecastingModule = defineModule({
  name: 'forecasting',
  base: '/forecasting',
  title: 'Forecasting',
  summary: 'Limited computed projections; needs history',
  availability: 'available',
  routes: forecastRoutes,
  events: Object.values(forecastEvents),
  nightSteps: [forecastNight],
});
