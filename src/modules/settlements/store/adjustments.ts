/** What adjustments read of orders and settlements. */
import { nullable, type RowOf, text } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { availableFrom } from '../../ledger/index.ts';

const order = { order_id: text, currency: text };
export interface NamedOrder extends RowOf<typeof order> {
  /** The first day on which anything tied to it may be available; null before its first delivery. */
  readonly available_on: string | null;
}

/** The order of an id of the service or of the marketplace. */
export async function findOrder(at: SellerDb, name: string): Promise<NamedOrder | undefined> {
  const found = await at.db.one(statement(order)`
    select order_id, currency
      from v_orders_named
     where seller_id = ${at.seller_id}
       and (order_id = ${name} or external_order_id = ${name})`);
  return found && { ...found, available_on: await availableFrom(at, found.order_id) };
}

export async function isClosedSettlement(
  { db, seller_id }: SellerDb,
  settlementId: string,
): Promise<boolean> {
  const row = await db.one(statement({ settlement_id: nullable(text) })`
    select settlement_id
      from settlement
     where seller_id = ${seller_id}
       and settlement_id = ${settlementId}`);
  return row !== undefined;
}
