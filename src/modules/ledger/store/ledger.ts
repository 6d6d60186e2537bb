/** The ledger's own statements: everything that posts goes through here. */
import type { Db } from '../../../kernel/context.ts';
import { minor, sumMinor } from '../../../kernel/money.ts';
import { bigintArray, intArray, textArray } from '../../../platform/db/arrays.ts';
import { sql } from '../../../platform/db/sql.ts';

const HOLD =
  'insert into ledger_head (seller_id, position) values ($1, 0) ' +
  'on conflict (seller_id) do update set position = ledger_head.position returning position';

/** Holds the seller's ledger until the transaction ends. @returns the position of the last entry */
export async function holdLedger(db: Db, sellerId: string): Promise<bigint> {
  const row = await db.one<{ position: bigint }>(sql(HOLD, [sellerId]));
  return row?.position ?? 0n;
}

const POSITION = 'select position from ledger_head where seller_id = $1';

/** Position of the last entry; 0 of an empty ledger. */
export async function ledgerPosition(db: Db, sellerId: string): Promise<bigint> {
  const row = await db.one<{ position: bigint }>(sql(POSITION, [sellerId]));
  return row?.position ?? 0n;
}

const BY_KEYS =
  'select idempotency_key, journal_id from ledger_journal where seller_id = $1 and idempotency_key = any($2::text[])';

/** Journals that stand already, by their keys. */
export async function postedKeys(
  db: Db,
  sellerId: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.all<{ idempotency_key: string; journal_id: string }>(
    sql(BY_KEYS, [sellerId, textArray(keys)]),
  );
  return new Map(rows.map((row) => [row.idempotency_key, row.journal_id]));
}

const CLOSED =
  'select currency, max(period_end)::text as through from v_settlements_settlement where seller_id = $1 group by currency';

/** The last day of the last closed period, by currency. */
export async function closedThrough(db: Db, sellerId: string): Promise<Map<string, string>> {
  const rows = await db.all<{ currency: string; through: string }>(sql(CLOSED, [sellerId]));
  return new Map(rows.map(({ currency, through }) => [currency, through]));
}

export interface JournalRow {
  readonly journal_id: string;
  readonly kind: string;
  readonly order_id: string | null;
  readonly refund_id: string | null;
  readonly dispute_id: string | null;
  readonly settlement_id: string | null;
  readonly payout_id: string | null;
  readonly occurred_at: string;
  readonly posted_on: string;
  readonly late: boolean;
  readonly idempotency_key: string;
  readonly reverses_journal_id: string | null;
  readonly reason_code: string | null;
  readonly actor: string;
  readonly source_event_id: string | null;
}

const JOURNALS =
  'insert into ledger_journal (seller_id, recorded_at, journal_id, kind, order_id, refund_id, dispute_id, settlement_id, ' +
  'payout_id, occurred_at, posted_on, late, idempotency_key, reverses_journal_id, reason_code, actor, source_event_id) ' +
  'select $1, $2::timestamptz, u.journal_id, u.kind, u.order_id, u.refund_id, u.dispute_id, u.settlement_id, u.payout_id, ' +
  'u.occurred_at::timestamptz, u.posted_on::date, u.late::int = 1, u.idempotency_key, u.reverses_journal_id, u.reason_code, ' +
  'u.actor, u.source_event_id from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], ' +
  '$10::text[], $11::text[], $12::int[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[]) as u (journal_id, kind, ' +
  'order_id, refund_id, dispute_id, settlement_id, payout_id, occurred_at, posted_on, late, idempotency_key, ' +
  'reverses_journal_id, reason_code, actor, source_event_id)';

export async function insertJournals(
  db: Db,
  sellerId: string,
  at: string,
  rows: readonly JournalRow[],
): Promise<void> {
  const text = (get: (row: JournalRow) => string | null) => textArray(rows.map(get));
  await db.run(
    sql(JOURNALS, [
      sellerId,
      at,
      text((row) => row.journal_id),
      text((row) => row.kind),
      text((row) => row.order_id),
      text((row) => row.refund_id),
      text((row) => row.dispute_id),
      text((row) => row.settlement_id),
      text((row) => row.payout_id),
      text((row) => row.occurred_at),
      text((row) => row.posted_on),
      intArray(rows.map(({ late }) => (late ? 1 : 0))),
      text((row) => row.idempotency_key),
      text((row) => row.reverses_journal_id),
      text((row) => row.reason_code),
      text((row) => row.actor),
      text((row) => row.source_event_id),
    ]),
  );
}

export interface EntryRow {
  readonly entry_id: string;
  readonly journal_id: string;
  readonly position: bigint;
  readonly account: string;
  readonly amount_minor: bigint;
  readonly currency: string;
  readonly type: string | null;
  readonly component: string | null;
  readonly bucket: string | null;
  readonly order_id: string | null;
  readonly order_line_id: string | null;
  readonly quantity: number | null;
  readonly rate_bps: number | null;
  readonly related_id: string | null;
  readonly posted_on: string;
  readonly available_on: string | null;
  readonly late: boolean;
  readonly description: string | null;
}

const ENTRIES =
  'insert into ledger_entry (seller_id, entry_id, journal_id, position, account, amount_minor, currency, type, component, bucket, ' +
  'order_id, order_line_id, quantity, rate_bps, related_id, posted_on, available_on, late, description) ' +
  'select $1, u.entry_id, u.journal_id, u.position, u.account, u.amount_minor, u.currency, u.type, u.component, u.bucket, ' +
  'u.order_id, u.order_line_id, u.quantity, u.rate_bps, u.related_id, u.posted_on::date, u.available_on::date, u.late = 1, ' +
  'u.description from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::text[], $9::text[], ' +
  '$10::text[], $11::text[], $12::text[], $13::int[], $14::int[], $15::text[], $16::text[], $17::text[], $18::int[], $19::text[]) ' +
  'as u (entry_id, journal_id, position, account, amount_minor, currency, type, component, bucket, order_id, order_line_id, ' +
  'quantity, rate_bps, related_id, posted_on, available_on, late, description)';
const ADVANCE =
  'update ledger_head set position = $2, moved_minor = moved_minor + $3 where seller_id = $1 returning moved_minor';

/**
 * Writes entries and moves the seller's position to the last of them.
 *
 * @returns how much has been moved in the seller's books since they began
 */
export async function insertEntries(db: Db, sellerId: string, rows: readonly EntryRow[]): Promise<bigint> {
  const text = (get: (row: EntryRow) => string | null) => textArray(rows.map(get));
  const int = (get: (row: EntryRow) => number | null) => intArray(rows.map(get));
  const big = (get: (row: EntryRow) => bigint) => bigintArray(rows.map(get));
  const written = db.run(
    sql(ENTRIES, [
      sellerId,
      text((row) => row.entry_id),
      text((row) => row.journal_id),
      big((row) => row.position),
      text((row) => row.account),
      big((row) => row.amount_minor),
      text((row) => row.currency),
      text((row) => row.type),
      text((row) => row.component),
      text((row) => row.bucket),
      text((row) => row.order_id),
      text((row) => row.order_line_id),
      int((row) => row.quantity),
      int((row) => row.rate_bps),
      text((row) => row.related_id),
      text((row) => row.posted_on),
      text((row) => row.available_on),
      int((row) => (row.late ? 1 : 0)),
      text((row) => row.description),
    ]),
  );
  const debits = rows.map(({ amount_minor }) => minor(amount_minor)).filter((amount) => amount > 0n);
  const advanced = db.one<{ moved_minor: bigint }>(
    sql(ADVANCE, [sellerId, rows.at(-1)?.position ?? 0n, sumMinor(debits)]),
  );
  const [, head] = await Promise.all([written, advanced]);
  return head?.moved_minor ?? 0n;
}
