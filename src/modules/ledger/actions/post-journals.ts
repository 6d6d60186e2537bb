/** Posts journals. This is the only way to write the ledger, in the transaction of the change that they record. */

import { locksOn, quarterOf } from '../../../kernel/australia/financial-quarter.ts';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import type { Acting } from '../../../kernel/context.ts';
import { IntakeRejection } from '../../../kernel/events.ts';
import { MINOR_SUM_MAX } from '../../../kernel/money.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { bucketOf, componentOf } from '../domain/entry-types.ts';
import { type Leg, type NewJournal, requireBalanced } from '../domain/journal.ts';
import {
  closedThrough,
  type EntryRow,
  insertEntries,
  insertJournals,
  type JournalRow,
  lockLedger,
  postedKeys,
} from '../store/ledger.ts';

/** The part of the acting context that posting needs. */
export type PostingCtx = SellerDb & Pick<Acting, 'ids' | 'now' | 'at'>;

export interface Posted {
  readonly key: string;
  readonly journal_id: string;
  /** False if a journal with this key existed; then nothing was written. */
  readonly isNew: boolean;
  /** The Sydney day for which a new journal counts. */
  readonly posted_on?: string;
}

interface Day {
  readonly posted_on: string;
  readonly late: boolean;
}

/**
 * The Sydney day for which a journal counts. It is the day of the change, or today if the period of that day is closed,
 * its quarter is locked, or the day is in the future.
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

const toJournalRow = (
  journal: NewJournal,
  journal_id: string,
  day: Day,
  recorded_at: string,
): JournalRow => ({
  journal_id,
  recorded_at,
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

/** The kinds of journals with which events bring money into the books. Other journals move money that is there. */
const BRINGING: readonly string[] = [
  'order_captured',
  'refund_created',
  'chargeback_opened',
  'adjustment_recorded',
  'reserve_held',
];

/**
 * @param moved the sum of all amounts moved in the seller's books. No figure can be larger.
 * @throws IntakeRejection `balance_out_of_range` if a figure could exceed the exact range of JSON numbers
 */
function requireCountable(rows: readonly JournalRow[], moved: bigint): void {
  const brings = rows.some(
    ({ kind, source_event_id }) => source_event_id !== null && BRINGING.includes(kind),
  );
  if (brings && moved > MINOR_SUM_MAX)
    throw new IntakeRejection('balance_out_of_range', 'The books of the seller cannot hold more than that.');
}

/**
 * Posts journals in their order. If a journal with the key exists, it is returned instead, so a repetition is harmless.
 * It locks the seller's ledger until the transaction ends. The caller must lock orders and stock before that.
 *
 * @throws RangeError for a journal that does not balance, before anything is written
 * @throws IntakeRejection `balance_out_of_range`
 */
export async function postJournals(ctx: PostingCtx, journals: readonly NewJournal[]): Promise<Posted[]> {
  for (const journal of journals) requireBalanced(journal);
  if (journals.length === 0) return [];
  const { ids } = ctx;
  const now = ctx.now();
  // The statements are sent together. Each one sees commits that happened while an earlier one waited for the lock.
  const keys = journals.map(({ key }) => key);
  const [last, known, closed] = await Promise.all([
    lockLedger(ctx),
    postedKeys(ctx, keys),
    closedThrough(ctx),
  ]);
  let position = last;
  const today = sydneyDate(now);
  const rows: JournalRow[] = [];
  const entries: EntryRow[] = [];
  const posted = journals.map((journal): Posted => {
    const existing = known.get(journal.key);
    if (existing !== undefined) return { key: journal.key, journal_id: existing, isNew: false };
    const journal_id = ids.next('jnl_');
    known.set(journal.key, journal_id);
    const day = dayOf(journal.occurred_at, closed.get(journal.currency), today);
    rows.push(toJournalRow(journal, journal_id, day, ctx.at()));
    for (const leg of journal.legs) {
      position += 1n;
      entries.push(toEntryRow(journal, leg, day, { entry_id: ids.next('txn_'), journal_id, position }));
    }
    return { key: journal.key, journal_id, isNew: true, posted_on: day.posted_on };
  });
  if (rows.length > 0) {
    const [, moved] = await Promise.all([insertJournals(ctx, rows), insertEntries(ctx, entries)]);
    requireCountable(rows, moved);
  }
  return posted;
}
