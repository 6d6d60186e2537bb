import type { SellerCtx } from '../../kernel/context.ts';
import type { RequestKey, RouteResult } from '../../kernel/route.ts';

/**
 * Runs an effect in a transaction of its own, once for each Idempotency-Key: for routes with `tx: 'own'`. A
 * repetition is answered as the first request was.
 *
 * @throws ApiError 409 `idempotency_in_progress`, `idempotency_key_reused`
 */
export function keyed<C extends SellerCtx, Body>(
  ctx: C,
  key: RequestKey,
  effect: (ctx: C) => Promise<RouteResult<Body>>,
): Promise<RouteResult<Body>> {
  return ctx.transaction('write', async (db) => {
    const { answer } = await key.earlier(db);
    return answer ?? key.keep(db, await effect(ctx.in(db)));
  });
}
