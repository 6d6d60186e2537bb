/** Money: the ledger, and everything that is read from it. See README.md. */
import { defineModule } from '../../kernel/route.ts';
import { auditJob } from './audit-job.ts';
import { auditGauges } from './store/invariants.ts';

export { readFindings } from './actions/audit-ledger.ts';
export { type LedgerCtx, type Posted, postJournals } from './actions/post-journals.ts';
export {
  type JournalKind,
  type Leg,
  mirrored,
  move,
  type NewJournal,
  type StatementLine,
  statementLegs,
} from './domain/journal.ts';

export const financialsModule = defineModule({
  name: 'financials',
  base: '/financials',
  title: 'Financials',
  summary: 'Records, settlements, activity, exports',
  availability: 'planned',
  reason: 'Financials is planned for a later release.',
  neverPaths: ['/taxes/summary'],
  routes: [],
  jobs: [auditJob],
  gauges: auditGauges,
});
