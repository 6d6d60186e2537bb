/** Settlements: the periods of a seller's statement, and reasons and reserves that hold money back. See README.md. */
import { adjustmentRecorded } from './intake/adjustment-recorded.ts';
import { holdChanged } from './intake/hold-changed.ts';
import { reserveEvents } from './intake/reserves.ts';
import { exportRoutes } from './routes/exports.ts';
import { holdRoutes } from './routes/holds.ts';
import { readRoutes } from './routes/settlements.ts';

export { type ClosedSettlement, minimumOf } from './actions/close-settlements.ts';
export { statementFile } from './actions/export-settlements.ts';
export {
  applyDebt,
  applyHolds,
  businessDayAfter,
  emitSettlement,
  holdBySource,
  moveSettlement,
  retryFailedPayouts,
} from './actions/move-settlement.ts';
export { type OpenSettlement, openSettlements } from './actions/open-settlements.ts';
export { operatorOf, policyOf } from './actions/policy.ts';
export { requireSettlement } from './actions/read-settlements.ts';
export { hasMoved, PAYOUT_STATUSES, type PayoutStatus } from './domain/payout-status.ts';
export {
  adjustmentComponentsOf,
  bucketSums,
  CARRY_REASONS,
  type CarryReason,
  feeComponentsOf,
  HOLD_REASONS,
  type HoldReason,
  openPeriodOf,
  type SettlementStatus,
  settlementIdOf,
} from './domain/settlement.ts';
export { type SettlementEvent, settlementMachine } from './domain/settlement-machine.ts';
export { settlementEvents, settlementPaid } from './events.ts';
export { settlementIntake } from './intake/about-seller.ts';
export { settlementJobs } from './jobs.ts';
export { lineRoute } from './routes/line-route.ts';
export { STATEMENT_CSV_EXAMPLE } from './schemas/detail-columns.ts';
export { CLOSED_EXAMPLE, PAID_AT, PAYMENT_REFERENCE, PAYOUT_ID, SENT_AT } from './schemas/examples.ts';
export { AdjustmentComponents, allJson, byTypeOf, FeeComponents } from './schemas/settlement.ts';
export { settlementSettings } from './settings.ts';
export { negativeSince } from './store/debts.ts';
export {
  type ActiveHold,
  activeHolds,
  sellersHeldBy,
  sellerTerms,
  writeHold,
} from './store/holds.ts';
export { SETTLEMENT_INVARIANTS } from './store/invariants.ts';
export { beginsAfter, type LineRange, type LineTotals } from './store/lines.ts';
export {
  type DueSettlement,
  dueSettlements,
  findSettlement,
  type SettlementRow,
  settlementsWithStatus,
  updateSettlement,
} from './store/settlements.ts';

export { type StatusChange, statusHistory } from './store/status-history.ts';

export const settlementRoutes = [...holdRoutes, ...readRoutes, ...exportRoutes];
export const settlementMarketplaceEvents = [adjustmentRecorded, ...reserveEvents, holdChanged];
