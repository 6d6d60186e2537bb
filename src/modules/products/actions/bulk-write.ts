import type { SellerCtx } from '../../../kernel/context.ts';
import { ApiError, coreErrors, fail, missing } from '../../../kernel/errors.ts';
import type { Plan } from '../../../kernel/plans.ts';
import type { StoredProduct } from '../domain/product.ts';
import { productNamed } from '../domain/product-id.ts';
import type { RowMessage } from '../domain/row.ts';
import { errors } from '../errors.ts';
import { lockNamed, type PlannedRequest, type ProductRequest, planRequests } from './plan-requests.ts';
import { refusal, warningsOf } from './problems.ts';
import { saveProducts } from './save-products.ts';
import { actionOf, enforceLimit, usageFor } from './write-product.ts';

export interface BulkOutcome {
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'failed';
  readonly product: StoredProduct | null;
  readonly warnings: readonly RowMessage[];
  readonly error: ApiError | null;
}

const failed = (error: ApiError): BulkOutcome => ({ outcome: 'failed', product: null, warnings: [], error });

/** How the item names its product. */
const namesOf = (request: ProductRequest | undefined) => ({
  product_id: request?.product_id,
  seller_sku: request?.product_id === undefined ? request?.patch.seller_sku : undefined,
});

function errorOf({ plan }: PlannedRequest, used: number, tier: Plan): ApiError | null {
  if (plan === null) return fail(coreErrors.not_found);
  if (plan === 'repeated') return fail(errors.duplicate_item);
  return plan.outcome === 'rejected' ? refusal(plan.messages, { plan: tier, used }) : null;
}

/**
 * Writes many products in one transaction. A rejected item does not stop the others.
 *
 * @returns one outcome for each item, in the order of the items
 */
export async function bulkWrite(
  ctx: SellerCtx,
  items: readonly (ProductRequest | ApiError)[],
): Promise<BulkOutcome[]> {
  const sent = items.flatMap((item, index) => (item instanceof ApiError ? [] : [{ index, request: item }]));
  const requests = sent.map(({ request }) => request);
  const usage = await usageFor(ctx, requests);
  const locked = await lockNamed(ctx, requests);
  const { plan: tier } = await ctx.standing();
  const remaining = usage === null ? Number.MAX_SAFE_INTEGER : usage.limit - usage.used;
  const planned = await planRequests(ctx, requests, locked, remaining);
  const outcomes = items.map((item) =>
    item instanceof ApiError ? failed(item) : failed(fail(coreErrors.not_found)),
  );
  const writes = planned.flatMap(({ before, plan }, at) =>
    plan === null || plan === 'repeated' || plan.next === null
      ? []
      : [{ at, before, next: plan.next, changes: plan.changes, action: actionOf(plan) }],
  );
  const saved = await saveProducts(ctx, writes);
  // Only a retry finds out which items still fit into the plan.
  const plans = planned.flatMap(({ plan }) => (plan === null || plan === 'repeated' ? [] : [plan]));
  await enforceLimit(ctx, plans, usage, () =>
    fail(coreErrors.unavailable, { headers: { 'retry-after': '1' } }),
  );
  const afterOf = new Map(writes.map(({ at }, order) => [at, saved[order]]));
  for (const [at, entry] of planned.entries()) {
    const index = sent[at]?.index ?? 0;
    const error = errorOf(entry, usage?.used ?? 0, tier);
    if (error !== null || entry.plan === null || entry.plan === 'repeated') {
      const unknown = error === null || error.code === coreErrors.not_found.code;
      outcomes[index] = failed(unknown ? missing(productNamed(namesOf(sent[at]?.request))) : error);
      continue;
    }
    const after = afterOf.get(at);
    outcomes[index] = {
      outcome: after === undefined ? 'unchanged' : entry.before === null ? 'created' : 'updated',
      product: after ?? entry.before,
      warnings: warningsOf(entry.plan.messages),
      error: null,
    };
  }
  return outcomes;
}
