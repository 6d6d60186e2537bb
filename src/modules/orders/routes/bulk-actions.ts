/** One action on many orders in one transaction: each item stands or falls by itself. */
import type { SellerCtx } from '../../../kernel/context.ts';
import { ApiError, coreErrors, fail } from '../../../kernel/errors.ts';
import type { RouteResult } from '../../../kernel/route.ts';
import { attempt } from '../../../platform/db/savepoint.ts';
import { errorBody } from '../../../platform/http/errors.ts';
import type { ChangeContext } from '../actions/change-context.ts';
import { changeOrder, holdStockOf } from '../actions/change-order.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Work } from '../domain/work.ts';
import { errors } from '../errors.ts';
import { loadOrders, lockOrders } from '../store/load-orders.ts';
import {
  type ActionRequest,
  answerOf,
  currentView,
  doOrTry,
  marked,
  memberContext,
  type OrderCtx,
  requireVersion,
} from './act.ts';

/** At most so many items in one request (docs/design/orders.md#machine). */
export const BULK_MAX = 200;

interface Item {
  readonly order_id: string;
  /** An order may have several parcels. */
  readonly shipment_id?: string;
  readonly version?: number;
}

type Rule<I> = (work: Work, change: ChangeContext, item: I) => void | Promise<void>;

async function one<I extends Item>(
  ctx: SellerCtx,
  change: ChangeContext,
  item: I,
  rule: Rule<I>,
): Promise<object> {
  return attempt(ctx.db, async () => {
    const changed = await changeOrder(change, item.order_id, (work) => {
      requireVersion(work.order, item.version);
      return rule(work, change, item);
    });
    if (changed === undefined) throw fail(coreErrors.not_found);
    const view = await currentView(ctx, changed.order);
    return view;
  });
}

/**
 * Acts on each item in turn. Orders first, then stock, each in the order of ids: whoever else works on the same
 * never waits in a circle.
 */
export async function bulk<I extends Item>(
  ctx: OrderCtx,
  query: ActionRequest['query'],
  items: readonly I[],
  rule: Rule<I>,
): Promise<RouteResult> {
  const change = memberContext(ctx);
  const run = async (): Promise<RouteResult> => {
    const ids = [...new Set(items.map(({ order_id }) => order_id))];
    await lockOrders(ctx.db, change.sellerId, ids);
    await holdStockOf(change, await loadOrders(ctx.db, change.sellerId, ids));
    const seen = new Set<string>();
    const results: object[] = [];
    for (const [index, item] of items.entries()) {
      const { order_id, shipment_id } = item;
      const about = JSON.stringify([order_id, shipment_id ?? null]);
      try {
        if (seen.has(about)) throw fail(errors.item_repeated);
        seen.add(about);
        const order = await one(ctx, change, item, rule);
        results.push({ index, order_id, status: 200, outcome: 'succeeded', order, error: null });
      } catch (thrown) {
        const error = thrown instanceof Refusal ? await answerOf(ctx, order_id, thrown) : thrown;
        if (!(error instanceof ApiError)) throw error;
        const { status } = error;
        results.push({
          index,
          order_id,
          status,
          outcome: 'failed',
          order: null,
          error: errorBody(error, ctx.request_id),
        });
      }
    }
    const failed = results.filter((result) => 'error' in result && result.error !== null).length;
    return {
      body: { counts: { items: items.length, succeeded: items.length - failed, failed }, results },
    };
  };
  return marked(query, await doOrTry(ctx.db, query, run));
}
