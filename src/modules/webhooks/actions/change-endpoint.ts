import type { Acting, SellerCtx } from '../../../kernel/context.ts';
import { fail, requireFound } from '../../../kernel/errors.ts';
import { idOf } from '../../../kernel/id-of.ts';
import { writeVersion } from '../../../platform/db/table.ts';
import type { Services } from '../../../platform/services.ts';
import { DISABLE_JOB } from '../domain/failing.ts';
import { secretContext } from '../domain/secret-context.ts';
import { newSecret } from '../domain/sign.ts';
import { errors } from '../errors.ts';
import { cancelPending, requeueMissed } from '../store/deliveries.ts';
import { type EndpointRow, endpoints, findEndpoint, skipToNow } from '../store/endpoints.ts';

/** Most replaced secrets that still sign. Older ones are dropped. */
const RETIRED_MAX = 9;

/**
 * Reads an endpoint and locks it with its deliveries until the end of the transaction.
 *
 * @throws ApiError 404 `not_found`
 */
export async function lockEndpoint(ctx: Acting, endpointId: string): Promise<EndpointRow> {
  return requireFound(await findEndpoint(ctx, idOf('whe_', endpointId), 'for update'));
}

/**
 * Makes a new secret. For a while the old one signs too, so that receivers can change over.
 *
 * @param overlapSeconds 0 for a secret that has leaked: the old ones stop signing at once
 */
export async function rotateSecret(
  ctx: SellerCtx & { readonly services: Services },
  row: EndpointRow,
  overlapSeconds: number,
): Promise<{ readonly row: EndpointRow; readonly secret: string }> {
  const now = ctx.now();
  const secret = newSecret();
  const before = { secret: row.secret, until: new Date(now + overlapSeconds * 1_000).toISOString() };
  const live = row.retired_secrets.filter(({ until }) => Date.parse(until) > now);
  const after = await writeVersion(endpoints, ctx, row, {
    secret: ctx.services.secrets.seal(secret, secretContext(row.endpoint_id)),
    retired_secrets: overlapSeconds === 0 ? [] : [before, ...live].slice(0, RETIRED_MAX),
  });
  return { row: after, secret };
}

export const changeStatus = (
  ctx: Acting,
  row: EndpointRow,
  status: EndpointRow['status'],
  more: Partial<EndpointRow> = {},
): Promise<EndpointRow> =>
  writeVersion(endpoints, ctx, row, { reason: null, ...more, status, status_changed_at: ctx.at() });

/**
 * Stops deliveries; the service keeps the events.
 *
 * @throws ApiError 409 `endpoint_not_active` for a disabled endpoint, whose deliveries are stopped already
 */
export async function pauseEndpoint(ctx: Acting, row: EndpointRow): Promise<EndpointRow> {
  if (row.status === 'paused') return row;
  if (row.status !== 'active') throw fail(errors.endpoint_not_active, { facts: { status: row.status } });
  return changeStatus(ctx, row, 'paused');
}

/**
 * Starts deliveries again, with the oldest missed event first. For a disabled endpoint, deliveries that were given up
 * while every attempt failed are missed too.
 */
export async function resumeEndpoint(
  ctx: Acting,
  row: EndpointRow,
  skipMissed: boolean,
): Promise<EndpointRow> {
  if (row.status === 'active') return row;
  const { endpoint_id, status, failing_since } = row;
  const after = await changeStatus(ctx, row, 'active', { failing_since: null });
  if (skipMissed) {
    await cancelPending(ctx, endpoint_id, 'skipped', ctx.at());
    await skipToNow(ctx, endpoint_id);
  } else await requeueMissed(ctx, endpoint_id, status === 'disabled' ? failing_since : null, ctx.at());
  await ctx.jobs.cancel(DISABLE_JOB, endpoint_id);
  return after;
}

/** Deletes an endpoint and its secrets. Its delivery records stay; open deliveries are cancelled. */
export async function deleteEndpoint(ctx: Acting, row: EndpointRow): Promise<void> {
  await cancelPending(ctx, row.endpoint_id, 'endpoint_deleted', ctx.at());
  await changeStatus(ctx, row, 'deleted', { secret: '', retired_secrets: [] });
}
