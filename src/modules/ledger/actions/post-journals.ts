/** The one way into the ledger, in the transaction of what it records. */

import { locksOn, quarterOf } from '../../../kernel/australia/financial-quarter.ts';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Clock, Db } from '../../../kernel/context.ts';
import { IntakeRejection } from '../../../kernel/events.ts';
import type { Ids } from '../../../kernel/ids.ts';
import { MINOR_SUM_MAX } from '../../../kernel/money.ts';
import { bucketOf, componentOf } from '../domain/entry-types.ts';
import { type Leg, type NewJournal, requireBalanced } from '../domain/journal.ts';
import {
  closedThrough,
  type EntryRow,
  holdLedger,
  insertEntries,
  insertJournals,
  type JournalRow,
  postedKeys,
} from '../store/ledger.ts';

/** Statements name the seller, so that it works in the seller's and in the system's scope. */
export interface LedgerCtx {
  readonly db: Db;
  readonly sellerId: string;
  readonly ids: Ids;
  readonly now: Clock;
}

export interface Posted {
  readonly key: string;
  readonly journal_id: string;
  /** False: it stood already, and nothing was written for it. */
  readonly isNew: boolean;
  /** The Sydney day that it counts for; of a new one. */
  readonly posted_on?: string;
}

interface Day {
  readonly posted_on: string;
  readonly late: boolean;
}

/**
 * The Sydney day that a journal counts for: that of what happened, unless its period was closed or its quarter
 * locked by then; what claims to come from the future counts today.
 */
function dayOf(occurredAt: string, closed: string | undefined, today: string): Day {
  const own = sydneyDate(Date.parse(occurredAt));
  if (own > today) return { posted_on: today, late: false };
  const late = (closed !== undefined && own <= closed) || locksOn(quarterOf(own)) <= today;
  return { posted_on: late ? today : own, late };
}

function availableOn({ hold_days = 0, not_before }: NewJournal, postedOn: string): string {
  const held = addDays(postedOn, hold_days);
  return not_before != null && not_before > held ? not_before : held;
}

const toJournalRow = (journal: NewJournal, journal_id: string, day: Day): JournalRow => ({
  journal_id,
  kind: journal.kind,
  order_id: journal.order_id ?? null,
  refund_id: journal.refund_id ?? null,
  dispute_id: journal.dispute_id ?? null,
  settlement_id: journal.settlement_id ?? null,
  payout_id: journal.payout_id ?? null,
  occurred_at: journal.occurred_at,
  ...day,
  idempotency_key: journal.key,
  reverses_journal_id: journal.reverses_journal_id ?? null,
  reason_code: journal.reason_code ?? null,
  actor: journal.actor,
  source_event_id: journal.source_event_id ?? null,
});

type Place = Pick<EntryRow, 'entry_id' | 'journal_id' | 'position'>;

function toEntryRow(journal: NewJournal, { account, amount, line }: Leg, day: Day, place: Place): EntryRow {
  return {
    ...place,
    account,
    amount_minor: amount,
    currency: journal.currency,
    type: line?.type ?? null,
    component: line === undefined ? null : componentOf(line.type),
    bucket: line === undefined ? null : bucketOf(line.type),
    order_id: journal.order_id ?? null,
    order_line_id: line?.order_line_id ?? null,
    quantity: line?.quantity ?? null,
    rate_bps: line?.rate_bps ?? null,
    related_id: line?.related_id ?? null,
    ...day,
    available_on: line === undefined ? null : availableOn(journal, day.posted_on),
    description: line?.description ?? null,
  };
}

/** What an event brings into the books, or gives back again and again; all else moves what is there. */
const BRINGING: readonly string[] = [
  'order_captured',
  'refund_created',
  'chargeback_opened',
  'adjustment_recorded',
  'reserve_held',
];

/**
 * @param moved all that was ever moved in the seller's books: no figure of theirs is more
 * @throws IntakeRejection `balance_out_of_range`: a figure might come to more than can be said to the cent
 */
function requireCountable(rows: readonly JournalRow[], moved: bigint): void {
  const brings = rows.some(
    ({ kind, source_event_id }) => source_event_id !== null && BRINGING.includes(kind),
  );
  if (brings && moved > MINOR_SUM_MAX)
    throw new IntakeRejection('balance_out_of_range', 'The books of the seller cannot hold more than that.');
}

/**
 * Posts journals in their order. One whose key stands already is answered as it stands, so that every repeat is
 * harmless. Holds the seller's ledger until the transaction ends: take locks of orders and stock before.
 *
 * @throws RangeError for a journal that does not balance; nothing is written then
 * @throws IntakeRejection `balance_out_of_range`
 */
export async function postJournals(ctx: LedgerCtx, journals: readonly NewJournal[]): Promise<Posted[]> {
  for (const journal of journals) requireBalanced(journal);
  if (journals.length === 0) return [];
  const { db, sellerId, ids } = ctx;
  const now = ctx.now();
  // In one breath: each statement sees what was committed while the one before it waited.
  const keys = journals.map(({ key }) => key);
  const [held, standing, closed] = await Promise.all([
    holdLedger(db, sellerId),
    postedKeys(db, sellerId, keys),
    closedThrough(db, sellerId),
  ]);
  let position = held;
  const today = sydneyDate(now);
  const rows: JournalRow[] = [];
  const entries: EntryRow[] = [];
  const posted = journals.map((journal): Posted => {
    const known = standing.get(journal.key);
    if (known !== undefined) return { key: journal.key, journal_id: known, isNew: false };
    const journal_id = ids.next('jnl_');
    standing.set(journal.key, journal_id);
    const day = dayOf(journal.occurred_at, closed.get(journal.currency), today);
    rows.push(toJournalRow(journal, journal_id, day));
    for (const leg of journal.legs) {
      position += 1n;
      entries.push(toEntryRow(journal, leg, day, { entry_id: ids.next('txn_'), journal_id, position }));
    }
    return { key: journal.key, journal_id, isNew: true, posted_on: day.posted_on };
  });
  if (rows.length > 0) {
    const [, moved] = await Promise.all([
      insertJournals(db, sellerId, new Date(now).toISOString(), rows),
      insertEntries(db, sellerId, entries),
    ]);
    requireCountable(rows, moved);
  }
  return posted;
}
