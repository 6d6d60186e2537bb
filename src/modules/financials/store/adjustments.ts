/** What adjustments and reserves ask of sellers, orders and the ledger; every statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { type Minor, minor } from '../../../kernel/money.ts';
import { sql } from '../../../platform/db/sql.ts';

const CURRENCY = 'select currency from v_sellers_payout_terms where seller_id = $1';

/** The seller's currency; undefined when there is no such seller. */
export async function currencyOf(db: Db, sellerId: string): Promise<string | undefined> {
  return (await db.one<{ currency: string }>(sql(CURRENCY, [sellerId])))?.currency;
}

const ORDER =
  'select o.order_id, o.currency, t.available_on::text as available_on from v_orders_named o ' +
  'left join order_terms t on t.seller_id = o.seller_id and t.order_id = o.order_id ' +
  'where o.seller_id = $1 and (o.order_id = $2 or o.external_order_id = $2)';

export interface NamedOrder {
  readonly order_id: string;
  readonly currency: string;
  /** The first day on which anything tied to it may be available; null before its first delivery. */
  readonly available_on: string | null;
}

export function findOrder(db: Db, sellerId: string, name: string): Promise<NamedOrder | undefined> {
  return db.one(sql<NamedOrder>(ORDER, [sellerId, name]));
}

const SETTLEMENT = 'select settlement_id from settlement where seller_id = $1 and settlement_id = $2';

export async function isClosedSettlement(db: Db, sellerId: string, settlementId: string): Promise<boolean> {
  return (await db.one(sql(SETTLEMENT, [sellerId, settlementId]))) !== undefined;
}

export interface StandingLine {
  readonly type: string;
  /** From the seller's side. */
  readonly amount: Minor;
  readonly order_id: string | null;
  readonly reason_code: string | null;
}

const LINE =
  'select e.type, -e.amount_minor as amount, j.order_id, j.reason_code from ledger_journal j ' +
  'join ledger_entry e on e.seller_id = j.seller_id and e.journal_id = j.journal_id and e.bucket is not null ' +
  'where j.seller_id = $1 and j.idempotency_key = $2';

/** The seller's line of a journal, by its key. */
export async function findLine(db: Db, sellerId: string, key: string): Promise<StandingLine | undefined> {
  const row = await db.one<Omit<StandingLine, 'amount'> & { amount: bigint }>(sql(LINE, [sellerId, key]));
  return row === undefined ? undefined : { ...row, amount: minor(row.amount) };
}
