/** One action on many orders in one transaction. A refused item does not affect the others. */
import type { Acting, SellerCtx } from '../../../kernel/context.ts';
import { ApiError, fail, missing } from '../../../kernel/errors.ts';
import type { RouteResult } from '../../../kernel/route.ts';
import { attempt } from '../../../platform/db/savepoint.ts';
import { itemErrorBody } from '../../../platform/http/errors.ts';
import { changeOrder, lockStockOf } from '../actions/change-order.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Work } from '../domain/work.ts';
import { errors } from '../errors.ts';
import type { WireBulkResult } from '../schemas/bulk.ts';
import { loadOrders, lockOrders } from '../store/load-orders.ts';
import {
  type ActionRequest,
  currentView,
  markDryRun,
  refusalToError,
  requireVersion,
  runOrRehearse,
} from './run-action.ts';

/** Items in one request. Source: docs/design/orders.md#machine. */
export const BULK_MAX = 200;

interface Item {
  readonly order_id: string;
  /** An order may have several parcels. */
  readonly shipment_id?: string;
  readonly version?: number;
}

type Rule<I> = (work: Work, ctx: Acting, item: I) => void | Promise<void>;

async function runItem<I extends Item>(ctx: SellerCtx, item: I, rule: Rule<I>) {
  return attempt(ctx.db, async () => {
    const changed = await changeOrder(ctx, item.order_id, (work) => {
      requireVersion(work.order, item.version);
      return rule(work, ctx, item);
    });
    if (changed === undefined) throw missing(`order ${item.order_id}`);
    return currentView(ctx, changed.order);
  });
}

/**
 * Runs the action on each item in turn. It locks orders first, then stock, each in the order of ids, so that
 * two requests never deadlock.
 */
export async function bulk<I extends Item>(
  ctx: SellerCtx,
  query: ActionRequest['query'],
  items: readonly I[],
  rule: Rule<I>,
): Promise<RouteResult<WireBulkResult>> {
  const run = async () => {
    const ids = [...new Set(items.map(({ order_id }) => order_id))];
    await lockOrders(ctx, ids);
    await lockStockOf(ctx, await loadOrders(ctx, ids));
    const seen = new Set<string>();
    const results: WireBulkResult['results'][number][] = [];
    for (const [index, item] of items.entries()) {
      const { order_id, shipment_id } = item;
      const about = JSON.stringify([order_id, shipment_id ?? null]);
      try {
        if (seen.has(about)) throw fail(errors.item_repeated);
        seen.add(about);
        const order = await runItem(ctx, item, rule);
        results.push({ index, order_id, status: 200, outcome: 'succeeded', order, error: null });
      } catch (thrown) {
        const error = thrown instanceof Refusal ? await refusalToError(ctx, order_id, thrown) : thrown;
        if (!(error instanceof ApiError)) throw error;
        const { status } = error;
        results.push({
          index,
          order_id,
          status,
          outcome: 'failed',
          order: null,
          error: itemErrorBody(error, ctx.request_id, () => ['items', index]),
        });
      }
    }
    const failed = results.filter(({ outcome }) => outcome === 'failed').length;
    return {
      body: { counts: { items: items.length, succeeded: items.length - failed, failed }, results },
    };
  };
  return markDryRun(query, await runOrRehearse(ctx.db, query, run));
}
