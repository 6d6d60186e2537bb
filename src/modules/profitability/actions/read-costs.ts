/** Reads what orders have cost their seller. */
import type { SellerDb } from '../../../platform/db/table.ts';
import { costsOf, type OrderCosts } from '../domain/costs.ts';
import type { Posted } from '../domain/posted.ts';
import { goodsOfOrders } from '../store/order-costs.ts';
import { hasCosts } from '../store/unit-costs.ts';

interface Account extends SellerDb {
  readonly currency: string;
}
type CostsByOrder = ReadonlyMap<string, OrderCosts>;
interface PostedOrder<P extends Posted = Posted> {
  readonly order_id: string;
  readonly posted: readonly P[];
}

const NONE: CostsByOrder = new Map();

/** Reads the costs of orders. A seller that has entered none pays no further statement. */
export async function costReader(
  of: Account,
): Promise<(orders: readonly PostedOrder[]) => Promise<CostsByOrder>> {
  if (!(await hasCosts(of))) return async () => NONE;
  return async (orders) => {
    const ids = orders.map(({ order_id }) => order_id);
    const goods = Map.groupBy(await goodsOfOrders(of, ids), ({ order_id }) => order_id);
    return new Map(
      orders.map(({ order_id, posted }) => [
        order_id,
        costsOf(goods.get(order_id) ?? [], posted, of.currency),
      ]),
    );
  };
}

const ORDERS_AT_ONCE = 500;

/** Orders of a stream with their costs. */
export async function* ordersWithCosts<P extends Posted & { readonly order_id: string }>(
  of: Account,
  orders: AsyncIterable<readonly P[]>,
) {
  const read = await costReader(of);
  let some: PostedOrder<P>[] = [];
  async function* flush() {
    const costs = await read(some);
    for (const { order_id, posted } of some) yield { parts: posted, costs: costs.get(order_id) };
    some = [];
  }
  for await (const posted of orders) {
    some.push({ order_id: posted[0]?.order_id ?? '', posted });
    if (some.length === ORDERS_AT_ONCE) yield* flush();
  }
  yield* flush();
}
