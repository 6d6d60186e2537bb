/** The nightly look at all the money. Source: design "Money" 1.9. */
import { nextTimeOfDay } from '../../kernel/australia/sydney.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { auditLedger } from './actions/audit-ledger.ts';

/** In Sydney; half an hour after the periods of the day before are closed. */
const AUDIT_TIME = { hour: 2, minute: 30 };

export const auditJob = defineJob({
  kind: 'financials.audit_ledger',
  recurring: true,
  handler: async (services) => {
    await auditLedger(services);
    return { againAt: nextTimeOfDay(services.now(), AUDIT_TIME) };
  },
});
