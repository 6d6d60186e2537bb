/** Lists of refunds and of returns over all orders of a seller, newest first. */
import { instant, text } from '../../../platform/db/columns.ts';
import { allOf, part, raw, statement } from '../../../platform/db/statement.ts';
import type { SellerDb } from '../../../platform/db/table.ts';
import type { Order } from '../domain/order.ts';
import { loadOrders } from './load-orders.ts';

const LISTED = {
  refunds: { table: raw('order_refund'), id: raw('refund_id'), at: raw('created_at') },
  returns: { table: raw('order_return'), id: raw('return_id'), at: raw('requested_at') },
} as const;
export type ListedKind = keyof typeof LISTED;

export interface PartFilter {
  readonly status?: string | undefined;
  readonly order_id?: string | undefined;
  /** RFC 3339. A part at the instant `since` is included, a part at `before` is not. */
  readonly since?: string | undefined;
  readonly before?: string | undefined;
}

/** When the last part of the previous page was recorded or requested, and its id. */
export type PartPosition = readonly [at: string, id: string];

/** A part with its whole order. */
export interface ListedPart<K extends ListedKind> {
  readonly position: PartPosition;
  readonly order: Order;
  readonly part: Order[K][number];
}

const idOf = (row: object, kind: ListedKind): unknown =>
  Reflect.get(row, kind === 'refunds' ? 'refund_id' : 'return_id');

/** One page and one part more. */
export async function listParts<K extends ListedKind>(
  at: SellerDb,
  kind: K,
  { status, order_id, since, before }: PartFilter,
  after: PartPosition | undefined,
  limit: number,
): Promise<ListedPart<K>[]> {
  const listed = LISTED[kind];
  const found = await at.db.all(statement({ order_id: text, id: text, at: instant })`
    select order_id, ${listed.id} as id, ${listed.at} as at
      from ${listed.table}
     where ${allOf(
       part`seller_id = ${at.seller_id}`,
       status !== undefined && part`status = ${status}`,
       order_id !== undefined && part`order_id = ${order_id}`,
       since !== undefined && part`${listed.at} >= ${since}`,
       before !== undefined && part`${listed.at} < ${before}`,
       after && part`(${listed.at}, ${listed.id}) < (${after[0]}::timestamptz, ${after[1]})`,
     )}
     order by ${listed.at} desc, ${listed.id} desc
     limit ${limit + 1}::int`);
  const orders = await loadOrders(at, [...new Set(found.map((row) => row.order_id))]);
  const byId = new Map(orders.map((order) => [order.head.order_id, order]));
  return found.flatMap((row) => {
    const order = byId.get(row.order_id);
    const own = order?.[kind].find((one) => idOf(one, kind) === row.id);
    return order === undefined || own === undefined
      ? []
      : [{ position: [row.at, row.id] as const, order, part: own as Order[K][number] }];
  });
}
