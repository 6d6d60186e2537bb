import type { SellerCtx } from '../../kernel/context.ts';
import { coreErrors, fail } from '../../kernel/errors.ts';
import type { RequestKey, RouteResult } from '../../kernel/route.ts';

/** The Idempotency-Key of a request, and the signal that aborts when its client disconnects or it times out. */
interface KeyedRequest {
  readonly key: RequestKey;
  readonly signal: AbortSignal;
}

/**
 * Runs an effect once for each Idempotency-Key, in a transaction of its own, for routes with `tx: 'own'`. A repeated
 * request gets the answer of the first. If the client disconnects before the commit, nothing is applied.
 *
 * @throws ApiError 409 `idempotency_in_progress`, `idempotency_key_reused`, 504 `timeout`
 */
export function keyed<C extends SellerCtx, Body>(
  ctx: C,
  { key, signal }: KeyedRequest,
  effect: (ctx: C) => Promise<RouteResult<Body>>,
): Promise<RouteResult<Body>> {
  return ctx.transaction('write', async (db) => {
    const { answer } = await key.earlier(db);
    const result = answer ?? (await key.keep(db, await effect(ctx.in(db))));
    if (signal.aborted) throw fail(coreErrors.timeout);
    return result;
  });
}
