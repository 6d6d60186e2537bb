/** The ledger: the only source of every figure of money. See README.md. */
export { createAudit } from './actions/audit.ts';
export { bookOrder, freezeTerms, type Occurrence } from './actions/book-order.ts';
export { postJournals } from './actions/post-journals.ts';
export {
  type Account,
  BUCKETS,
  type Bucket,
  bucketOf,
  COMPONENTS,
  type Component,
  componentOf,
  DELIVERY_LIST,
  ENTRY_TYPES,
  type EntryType,
  isDelivery,
} from './domain/entry-types.ts';
export { type JournalKind, keyOf, move, type NewJournal, statementLegs } from './domain/journal.ts';
export type { OrderTerms } from './domain/order-money.ts';
export { ledgerSettings } from './settings.ts';
export { auditGauges, type Invariant } from './store/invariants.ts';
export { ledgerPosition, lockLedger } from './store/ledger.ts';
export { availableFrom } from './store/order-book.ts';
export { findPostedLine } from './store/posted-line.ts';
