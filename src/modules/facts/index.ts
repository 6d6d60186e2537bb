/** Facts by Sydney day, the nights, and the payloads that they keep. See README.md. */
import { defineModule } from '../../kernel/route.ts';
import { factJobs } from './jobs.ts';

export { auditAllFacts, auditFacts } from './actions/audit-facts.ts';
export { DAYS_KEPT } from './actions/fill-facts.ts';
export { type ProductSeries, readAllSeries, readSeries } from './actions/read-series.ts';
export { answerKept, readFactsFrame, readSnapshot, saveSnapshot } from './actions/snapshots.ts';
export { mean28, usedDays } from './domain/series.ts';

export const factsModule = defineModule({
  name: 'facts',
  base: '',
  title: 'Facts',
  summary: 'Facts by day that forecasts and other figures are computed from',
  availability: 'available',
  routes: [],
  jobs: factJobs,
});
