/** Compares the reports of payment providers with the ledger, and states the source of every figure. See README.md. */

export { type AccountScope, describeFigures, describeList } from './actions/describe-figures.ts';
export { payoutReconciliation } from './domain/reconciliation.ts';
export { dataThrough, providerReported, takeReport } from './intake/provider-reported.ts';
export { reconcileJobs } from './jobs.ts';
export {
  acceptDays,
  access,
  accountList,
  accountRoute,
  accountScope,
  figures,
  listSource,
} from './routes/money-routes.ts';
export {
  Amount,
  currencyQuery,
  Day,
  listMetadata,
  listMetadataExample,
  Money,
  metadata,
  metadataExample,
  moneyOf,
  NullableAmount,
  NullableDay,
  payload,
} from './schemas/metadata.ts';
export {
  notCompared,
  ReconciliationSchema,
  reconciliationJson,
  SourceSchema,
  sourceOf,
} from './schemas/source.ts';
export { type CheckRow, checkOf, PAYOUT_CHECK } from './store/checks.ts';
export { RECONCILIATION_INVARIANTS } from './store/invariants.ts';
