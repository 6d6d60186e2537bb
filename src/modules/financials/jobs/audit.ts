/** The audit of all money, and the job that runs it every night. Source: docs/design/money.md#invariants. */
import { nextTimeOfDay } from '../../../kernel/australia/sydney.ts';
import { defineJob } from '../../../platform/jobs/define-job.ts';
import { INVOICE_INVARIANTS } from '../../invoices/index.ts';
import { createAudit } from '../../ledger/index.ts';
import { PAYOUT_INVARIANTS } from '../../payouts/index.ts';
import { RECONCILIATION_INVARIANTS } from '../../reconciliation/index.ts';
import { SETTLEMENT_INVARIANTS } from '../../settlements/index.ts';

export const audit = createAudit([
  ...RECONCILIATION_INVARIANTS,
  ...SETTLEMENT_INVARIANTS,
  ...PAYOUT_INVARIANTS,
  ...INVOICE_INVARIANTS,
]);
export const { invariants: INVARIANTS, readFindings } = audit;

/** The time in Sydney, half an hour after the close of the periods that ended on the previous day. */
const AUDIT_TIME = { hour: 2, minute: 30 };
/** The audit reads the whole ledger. On a manual clock, whose days pass in milliseconds, it waits so much longer. */
const MANUAL_PAUSE_MS = 27 * 86_400_000;

export const auditJob = defineJob({
  kind: 'financials.audit_ledger',
  recurring: true,
  catchesUp: true,
  handler: async (services) => {
    await audit.run(services);
    const { now, config } = services;
    const from = now() + (config.CLOCK === 'manual' ? MANUAL_PAUSE_MS : 0);
    return { againAt: nextTimeOfDay(from, AUDIT_TIME) };
  },
});
