import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, fail, tierLimitExceeded } from '../../../kernel/errors.ts';
import { planLimit } from '../../../kernel/plans.ts';
import { readUsed } from '../../../platform/plan-usage.ts';
import type { Services } from '../../../platform/services.ts';
import type { Payload } from '../domain/event-body.ts';
import { secretContext } from '../domain/secret-context.ts';
import { newSecret } from '../domain/sign.ts';
import type { EndpointRow, Ordering } from '../store/endpoint-row.ts';
import { findEndpoint, insertEndpoint } from '../store/endpoints.ts';

export interface NewEndpoint {
  readonly url: string;
  readonly event_types: readonly string[];
  readonly description: string | null;
  readonly payload: Payload;
  readonly ordering: Ordering;
  readonly max_concurrency: number;
}

/**
 * Makes an endpoint with its secret. The database counts; the count is read after the insert, when the transaction
 * holds the counter, so that simultaneous requests cannot pass the plan's limit together.
 *
 * @throws ApiError 402 `tier_limit_exceeded`
 */
export async function createEndpoint(
  ctx: SellerCtx & { readonly services: Services },
  wanted: NewEndpoint,
): Promise<{ readonly row: EndpointRow; readonly secret: string }> {
  const { seller_id } = ctx.seller;
  const endpoint_id = ctx.ids.next('whe_');
  const at = new Date(ctx.now()).toISOString();
  const secret = newSecret();
  await insertEndpoint(ctx.db, {
    ...wanted,
    seller_id,
    endpoint_id,
    status: 'active',
    reason: null,
    status_changed_at: at,
    secret: ctx.services.secrets.seal(secret, secretContext(endpoint_id)),
    retired_secrets: [],
    failing_since: null,
    version: 1,
    created_at: at,
    updated_at: at,
  });
  const used = await readUsed(ctx.db, seller_id, 'webhook_endpoints');
  const { plan } = await ctx.standing();
  if (used > planLimit(plan, 'webhook_endpoints'))
    throw tierLimitExceeded(plan, 'webhook_endpoints', used - 1);
  const row = await findEndpoint(ctx.db, seller_id, endpoint_id);
  if (row === undefined) throw fail(coreErrors.not_found);
  return { row, secret };
}
