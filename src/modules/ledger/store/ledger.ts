/** The writes of the ledger. Everything that posts goes through here. */
import type { Db } from '../../../kernel/context.ts';
import { sumMinor } from '../../../kernel/money.ts';
import {
  bigint,
  boolean,
  date,
  instant,
  integer,
  money,
  nullable,
  text,
} from '../../../platform/db/columns.ts';
import { oneOf, raw, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';

/** Locks the seller's ledger until the transaction ends. @returns the position of the last entry */
export async function lockLedger({ db, seller_id }: SellerDb): Promise<bigint> {
  const row = await db.one(statement({ position: bigint })`
    insert into ledger_head (seller_id, position)
    values (${seller_id}, 0)
        on conflict (seller_id) do update set position = ledger_head.position
    returning position`);
  return row?.position ?? 0n;
}

/** The position of the last entry; 0 in an empty ledger. */
export async function ledgerPosition(db: Db, sellerId: string): Promise<bigint> {
  const row = await db.one(statement({ position: bigint })`
    select position
      from ledger_head
     where seller_id = ${sellerId}`);
  return row?.position ?? 0n;
}

/** The ids of the journals that exist, by their keys. */
export async function postedKeys(
  { db, seller_id }: SellerDb,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.all(statement({ idempotency_key: text, journal_id: text })`
    select idempotency_key, journal_id
      from ledger_journal
     where seller_id = ${seller_id}
       and ${oneOf(raw('idempotency_key'), keys)}`);
  return new Map(rows.map((row) => [row.idempotency_key, row.journal_id]));
}

/** The last day of the last closed period, by currency. */
export async function closedThrough({ db, seller_id }: SellerDb): Promise<Map<string, string>> {
  const rows = await db.all(statement({ currency: text, through: date })`
    select currency, max(period_end) as through
      from v_settlements_settlement
     where seller_id = ${seller_id}
     group by currency`);
  return new Map(rows.map(({ currency, through }) => [currency, through]));
}

const journals = defineTable('ledger_journal', ['journal_id'], {
  journal_id: text,
  kind: text,
  order_id: nullable(text),
  refund_id: nullable(text),
  dispute_id: nullable(text),
  settlement_id: nullable(text),
  payout_id: nullable(text),
  occurred_at: instant,
  posted_on: date,
  recorded_at: instant,
  late: boolean,
  idempotency_key: text,
  reverses_journal_id: nullable(text),
  reason_code: nullable(text),
  actor: text,
  source_event_id: nullable(text),
});
export type JournalRow = RowIn<typeof journals>;

const entries = defineTable('ledger_entry', ['entry_id'], {
  entry_id: text,
  journal_id: text,
  position: bigint,
  account: text,
  amount_minor: money,
  currency: text,
  type: nullable(text),
  component: nullable(text),
  bucket: nullable(text),
  order_id: nullable(text),
  order_line_id: nullable(text),
  quantity: nullable(integer),
  rate_bps: nullable(integer),
  related_id: nullable(text),
  posted_on: date,
  available_on: nullable(date),
  late: boolean,
  description: nullable(text),
});
export type EntryRow = RowIn<typeof entries>;

/** An existing row would be skipped, and its journal would lack a leg. Under the lock no such row exists. */
function requireAll(written: number, rows: readonly unknown[]): void {
  if (written !== rows.length)
    throw new Error(`${written} of ${rows.length} rows of the ledger were written`);
}

export async function insertJournals(at: SellerDb, rows: readonly JournalRow[]): Promise<void> {
  requireAll(await journals.insertMany(at, rows), rows);
}

/**
 * Writes entries and moves the seller's position to the last one.
 *
 * @returns the sum of all amounts moved in the seller's books
 */
export async function insertEntries(at: SellerDb, rows: readonly EntryRow[]): Promise<bigint> {
  const debits = sumMinor(rows.map(({ amount_minor }) => amount_minor).filter((amount) => amount > 0n));
  const [written, head] = await Promise.all([
    entries.insertMany(at, rows),
    at.db.one(statement({ moved_minor: bigint })`
      update ledger_head
         set position = ${rows.at(-1)?.position ?? 0n}, moved_minor = moved_minor + ${debits}
       where seller_id = ${at.seller_id}
      returning moved_minor`),
  ]);
  requireAll(written, rows);
  return head?.moved_minor ?? 0n;
}
