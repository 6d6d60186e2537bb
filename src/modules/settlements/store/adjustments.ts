/** What adjustments and reserves ask of sellers, orders and the ledger; every statement names the seller. */
import type { Db } from '../../../kernel/context.ts';
import { sql } from '../../../platform/db/sql.ts';

const CURRENCY = 'select currency from v_sellers_payout_terms where seller_id = $1';

/** The seller's currency; undefined when there is no such seller. */
export async function currencyOf(db: Db, sellerId: string): Promise<string | undefined> {
  return (await db.one<{ currency: string }>(sql(CURRENCY, [sellerId])))?.currency;
}

const ORDER =
  'select o.order_id, o.currency, t.available_on::text as available_on from v_orders_named o ' +
  'left join v_ledger_terms t on t.seller_id = o.seller_id and t.order_id = o.order_id ' +
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
