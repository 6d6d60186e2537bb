import type { SellerCtx } from '../../../kernel/context.ts';
import { type ApiError, coreErrors, fail, tierLimitExceeded } from '../../../kernel/errors.ts';
import { planLimit } from '../../../kernel/plans.ts';
import { refuseOverdue } from '../../../kernel/standing.ts';
import { readUsed } from '../../../platform/plan-usage.ts';
import type { IdentityEvidence } from '../domain/identity/evidence.ts';
import type { RowPlan } from '../domain/plan/plan-context.ts';
import type { StoredProduct } from '../domain/product.ts';
import type { RowMessage } from '../domain/row.ts';
import { rowMessage } from '../domain/row-codes.ts';
import { holdToPlan } from './hold-to-plan.ts';
import { lockNamed, type ProductRequest, planRequests } from './plan-requests.ts';
import { refusal, warningsOf } from './problems.ts';
import { saveProducts } from './save-products.ts';

export interface WrittenProduct {
  readonly product: StoredProduct;
  readonly created: boolean;
  readonly warnings: readonly RowMessage[];
  readonly identity_resolution: IdentityEvidence | null;
}

/** The number of products that count towards the plan, and the plan's limit. */
interface Usage {
  readonly used: number;
  readonly limit: number;
}

/** Null when no request can change the count. Other requests may change it before {@link enforceLimit}. */
export async function usageFor(ctx: SellerCtx, requests: readonly ProductRequest[]): Promise<Usage | null> {
  const counts = requests.some(({ mode, patch }) => mode !== 'update_only' || patch.status !== undefined);
  if (!counts) return null;
  const used = await readUsed(ctx.db, ctx.seller_id, 'products');
  return { used, limit: planLimit((await ctx.standing()).plan, 'products') };
}

/**
 * Checks the plan's limit. It locks the count until the commit, so it runs after all writes: a request that waits for
 * a product must not block others that create products.
 *
 * @param written the plans that this transaction has applied
 * @param exceeded makes the error when other requests have filled the plan; `counted` excludes this transaction
 */
export async function enforceLimit(
  ctx: SellerCtx,
  written: readonly RowPlan[],
  usage: Usage | null,
  exceeded: (counted: number) => ApiError,
): Promise<void> {
  if (usage === null || written.every(({ slots }) => slots <= 0)) return;
  const counted = await holdToPlan(ctx, usage.limit);
  if (counted !== undefined) throw exceeded(counted);
}

/** The action that the history shows for a plan. */
export function actionOf({ outcome, next }: RowPlan): string {
  if (next?.status === 'archived') return 'archived';
  return outcome === 'staged' ? 'created' : outcome;
}

/**
 * Creates or changes one product.
 *
 * @param check throws to reject the request before it is planned
 * @throws ApiError 402 when the plan is full, 403 `agreement_required`, 404, 409 for conflicts with other products, 422
 */
export async function writeProduct(
  ctx: SellerCtx,
  request: ProductRequest,
  check: (before: StoredProduct) => void = () => undefined,
): Promise<WrittenProduct> {
  const usage = await usageFor(ctx, [request]);
  const locked = await lockNamed(ctx, [request]);
  const standing = await ctx.standing();
  const tier = standing.plan;
  const limits = { plan: tier, used: usage?.used ?? 0 };
  const target = request.product_id === undefined ? undefined : locked.byId.get(request.product_id);
  if (request.product_id !== undefined && target === undefined) throw fail(coreErrors.not_found);
  if (target !== undefined) check(target);
  const remaining = usage === null ? Number.MAX_SAFE_INTEGER : usage.limit - usage.used;
  const [planned] = await planRequests(ctx, [request], locked, remaining);
  const plan = planned?.plan;
  if (planned === undefined || plan == null || plan === 'repeated') throw fail(coreErrors.not_found);
  const { before } = planned;
  const { status } = plan.next ?? request.patch;
  if (status === 'active' && before?.status !== 'active') refuseOverdue(standing, ctx.now());
  if (plan.outcome === 'rejected') {
    // The error of a full plan precedes conflicts with other products.
    const full = request.mode === 'create_only' && remaining <= 0;
    throw refusal(full ? [...plan.messages, rowMessage('plan_limit_reached')] : plan.messages, limits);
  }
  const about = {
    warnings: warningsOf(plan.messages),
    identity_resolution: plan.identity_resolution,
    created: before === null,
  };
  if (plan.next === null) {
    if (before === null) throw fail(coreErrors.not_found);
    return { ...about, product: before };
  }
  const write = { before, next: plan.next, changes: plan.changes, action: actionOf(plan) };
  const [product] = await saveProducts(ctx, [write]);
  await enforceLimit(ctx, [plan], usage, (counted) => tierLimitExceeded(tier, 'products', counted));
  if (product === undefined) throw fail(coreErrors.internal_error);
  return { ...about, product };
}
