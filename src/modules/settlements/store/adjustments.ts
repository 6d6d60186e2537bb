/** The orders and settlements that adjustments are about. */
import { type RowOf, text } from '../../../platform/db/columns.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import { availableFrom } from '../../ledger/index.ts';

const order = { order_id: text, currency: text };
export interface NamedOrder extends RowOf<typeof order> {
  /** The first day on which money of the order may be available; null before the first delivery. */
  readonly available_on: string | null;
}

/** Finds an order by the service's id or the marketplace's. */
export async function findOrder(at: SellerDb, name: string): Promise<NamedOrder | undefined> {
  const found = await at.db.one(statement(order)`
    select order_id, currency
      from v_orders_named
     where seller_id = ${at.seller_id}
       and (order_id = ${name} or external_order_id = ${name})`);
  return found && { ...found, available_on: await availableFrom(at, found.order_id) };
}

const closed = { settlement_id: text, currency: text };
export type ClosedSettlement = RowOf<typeof closed>;

/** A closed settlement of the seller; an open one has no row. */
export const findClosed = (
  { db, seller_id }: SellerDb,
  settlementId: string,
): Promise<ClosedSettlement | undefined> =>
  db.one(statement(closed)`
    select settlement_id, currency
      from settlement
     where seller_id = ${seller_id}
       and settlement_id = ${settlementId}`);
