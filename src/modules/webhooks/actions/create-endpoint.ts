import type { SellerCtx } from '../../../kernel/context.ts';
import { requireFound, tierLimitExceeded } from '../../../kernel/errors.ts';
import { planLimit } from '../../../kernel/plans.ts';
import { firstVersion } from '../../../platform/db/table.ts';
import type { Services } from '../../../platform/services.ts';
import { secretContext } from '../domain/secret-context.ts';
import { newSecret } from '../domain/sign.ts';
import { countEndpoints, type EndpointRow, endpoints, findEndpoint, skipToNow } from '../store/endpoints.ts';

type NewEndpoint = Pick<
  EndpointRow,
  'url' | 'event_types' | 'description' | 'payload' | 'ordering' | 'max_concurrency'
>;

/**
 * Creates an endpoint with its secret. It gets events from now on. A trigger counts endpoints and locks the counter.
 * The count is read after the insert, so that concurrent requests cannot exceed the plan's limit.
 *
 * @throws ApiError 402 `tier_limit_exceeded`
 */
export async function createEndpoint(
  ctx: SellerCtx & { readonly services: Services },
  wanted: NewEndpoint,
): Promise<{ readonly row: EndpointRow; readonly secret: string }> {
  const endpoint_id = ctx.ids.next('whe_');
  const secret = newSecret();
  await endpoints.insert(ctx, {
    ...wanted,
    ...firstVersion(ctx.at()),
    ...{ endpoint_id, status: 'active', reason: null, status_changed_at: ctx.at(), failing_since: null },
    secret: ctx.services.secrets.seal(secret, secretContext(endpoint_id)),
    ...{ retired_secrets: [], fanned_through: 0n, passed_over: [] },
  });
  await skipToNow(ctx, endpoint_id);
  const used = await countEndpoints(ctx);
  const { plan } = await ctx.standing();
  if (used > planLimit(plan, 'webhook_endpoints'))
    throw tierLimitExceeded(plan, 'webhook_endpoints', used - 1);
  const row = requireFound(await findEndpoint(ctx, endpoint_id));
  return { row, secret };
}
