import type { SellerCtx } from '../../../kernel/context.ts';
import { coreErrors, fail } from '../../../kernel/errors.ts';
import { idPattern } from '../../../kernel/ids.ts';
import type { Services } from '../../../platform/services.ts';
import { DISABLE_JOB } from '../domain/failing.ts';
import { secretContext } from '../domain/secret-context.ts';
import { newSecret } from '../domain/sign.ts';
import { errors } from '../errors.ts';
import { cancelPending, requeueMissed } from '../store/deliveries.ts';
import type { EndpointRow } from '../store/endpoint-row.ts';
import {
  lockWithDeliveries,
  skipToNow,
  wipeSecrets,
  writeEndpoint,
  writeStatus,
} from '../store/endpoints.ts';
import type { NewEndpoint } from './create-endpoint.ts';

const ENDPOINT_ID = new RegExp(idPattern('whe_'));
/** Secrets that sign at the same time; whoever replaces them faster has no use for the oldest. */
const RETIRED_MAX = 9;

/**
 * The endpoint, held with its deliveries until the end of the transaction.
 *
 * @throws ApiError 404 `not_found`
 */
export async function heldEndpoint(ctx: SellerCtx, endpointId: string): Promise<EndpointRow> {
  const row = ENDPOINT_ID.test(endpointId)
    ? await lockWithDeliveries(ctx.db, ctx.seller.seller_id, endpointId)
    : undefined;
  if (row === undefined) throw fail(coreErrors.not_found);
  return row;
}

const changed = (ctx: SellerCtx, row: EndpointRow, change: Partial<EndpointRow>): EndpointRow => ({
  ...row,
  ...change,
  version: row.version + 1,
  updated_at: new Date(ctx.now()).toISOString(),
});

/** Changes what a seller sets; deliveries that are open go to the new address. */
export async function changeEndpoint(
  ctx: SellerCtx,
  row: EndpointRow,
  change: Partial<NewEndpoint>,
): Promise<EndpointRow> {
  const after = changed(ctx, row, change);
  await writeEndpoint(ctx.db, after);
  return after;
}

/**
 * Makes a new secret. The old one signs beside it for a while, so that receivers can change over.
 *
 * @param overlapSeconds 0: the old ones sign no more, for a secret that has leaked
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
  const after = changed(ctx, row, {
    secret: ctx.services.secrets.seal(secret, secretContext(row.endpoint_id)),
    retired_secrets: overlapSeconds === 0 ? [] : [before, ...live].slice(0, RETIRED_MAX),
  });
  await writeEndpoint(ctx.db, after);
  return { row: after, secret };
}

function withStatus(
  ctx: SellerCtx,
  row: EndpointRow,
  status: EndpointRow['status'],
  change: Partial<EndpointRow> = {},
): EndpointRow {
  const after = changed(ctx, row, { status, reason: null, ...change });
  return { ...after, status_changed_at: after.updated_at };
}

/**
 * Stops deliveries; events go on to be kept.
 *
 * @throws ApiError 409 `endpoint_not_active` for a disabled one, which is stopped already
 */
export async function pauseEndpoint(ctx: SellerCtx, row: EndpointRow): Promise<EndpointRow> {
  if (row.status === 'paused') return row;
  if (row.status !== 'active') throw fail(errors.endpoint_not_active, { facts: { status: row.status } });
  const after = withStatus(ctx, row, 'paused');
  await writeStatus(ctx.db, after);
  return after;
}

/**
 * Begins to deliver again, what was missed first, the oldest event first. What a disabled endpoint has missed is
 * also what was given up while everything failed.
 */
export async function resumeEndpoint(
  ctx: SellerCtx & { readonly services: Services },
  row: EndpointRow,
  skipMissed: boolean,
): Promise<EndpointRow> {
  if (row.status === 'active') return row;
  const { seller_id, endpoint_id } = row;
  const now = ctx.now();
  if (skipMissed) {
    await cancelPending(ctx.db, seller_id, endpoint_id, 'skipped', now);
    await skipToNow(ctx.db, seller_id, endpoint_id);
  } else {
    const failedSince = row.status === 'disabled' ? row.failing_since : null;
    await requeueMissed(ctx.db, seller_id, endpoint_id, failedSince, now);
  }
  await ctx.services.jobs.cancel(ctx.db, DISABLE_JOB, endpoint_id);
  const after = withStatus(ctx, row, 'active', { failing_since: null });
  await writeStatus(ctx.db, after);
  return after;
}

/** Takes an endpoint away. Its delivery records stay; what was not delivered is cancelled. */
export async function deleteEndpoint(ctx: SellerCtx, row: EndpointRow): Promise<void> {
  await cancelPending(ctx.db, row.seller_id, row.endpoint_id, 'endpoint_deleted', ctx.now());
  await writeStatus(ctx.db, withStatus(ctx, row, 'deleted'));
  await wipeSecrets(ctx.db, row.seller_id, row.endpoint_id);
}
