/** Orders of connected stores, for visibility only: nothing else of the service reads them. */
import { boolean, instant, json, money, nullable, text, textOf } from '../../../platform/db/columns.ts';
import { allOf, type Part, part, statement } from '../../../platform/db/statement.ts';
import { defineTable, type RowIn, type SellerDb } from '../../../platform/db/table.ts';
import type { OrderLine, STORE_ORDER_STATUSES } from '../domain/project-order.ts';

export const storeOrders = defineTable('store_order', ['store_order_id'], {
  store_order_id: text,
  channel_id: text,
  external_order_id: text,
  name: nullable(text),
  status: textOf<(typeof STORE_ORDER_STATUSES)[number]>(),
  financial_status: nullable(text),
  fulfillment_status: nullable(text),
  currency: nullable(text),
  total_minor: nullable(money),
  test: boolean,
  lines: json<readonly OrderLine[]>(),
  placed_at: nullable(instant),
  external_updated_at: instant,
  cancelled_at: nullable(instant),
  recorded_at: instant,
});
export type StoreOrderRow = RowIn<typeof storeOrders>;
/** An order whose lines name the seller's products. */
export interface ShownOrder extends StoreOrderRow {
  readonly lines: readonly (OrderLine & { readonly product_id: string | null })[];
}

/** Names the products to which the variants of the lines are linked now. */
export async function withProducts(
  { db, seller_id }: SellerDb,
  orders: readonly StoreOrderRow[],
): Promise<ShownOrder[]> {
  const variants = orders.flatMap(({ lines }) => lines.map((line) => line.external_variant_id));
  const found = await db.all(statement({ channel_id: text, external_variant_id: text, product_id: text })`
    select channel_id, external_variant_id, product_id
      from channel_link
     where seller_id = ${seller_id}
       and channel_id = any(${[...new Set(orders.map((order) => order.channel_id))]})
       and external_variant_id = any(${[...new Set(variants.filter((id) => id !== null))]})
       and product_id is not null`);
  const products = new Map(
    found.map((link) => [`${link.channel_id} ${link.external_variant_id}`, link.product_id]),
  );
  return orders.map((order) => ({
    ...order,
    lines: order.lines.map((line) => ({
      ...line,
      product_id: products.get(`${order.channel_id} ${line.external_variant_id}`) ?? null,
    })),
  }));
}

export const findOrders = (
  at: SellerDb,
  channelId: string,
  externalIds: readonly string[],
): Promise<StoreOrderRow[]> =>
  storeOrders.all(at, part`channel_id = ${channelId} and external_order_id = any(${externalIds}) for update`);

/** @returns the number of deleted orders */
export const deleteOrders = (
  at: SellerDb,
  channelId: string,
  externalIds: readonly string[],
): Promise<number> =>
  storeOrders.deleteWhere(at, part`channel_id = ${channelId} and external_order_id = any(${externalIds})`);

export const deleteAllOrders = (at: SellerDb, channelId: string): Promise<number> =>
  storeOrders.deleteWhere(at, part`channel_id = ${channelId}`);

interface OrderFilter {
  readonly channel_id?: string | undefined;
  readonly status?: StoreOrderRow['status'] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const orderFilter = (asked: OrderFilter): Part =>
  allOf(
    asked.channel_id !== undefined && part`channel_id = ${asked.channel_id}`,
    asked.status !== undefined && part`status = ${asked.status}`,
    asked.from !== undefined && part`placed_at >= ${asked.from}`,
    asked.to !== undefined && part`placed_at < ${asked.to}`,
  );
