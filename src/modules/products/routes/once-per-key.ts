import type { Db, SellerCtx } from '../../../kernel/context.ts';
import type { RouteRequest, RouteResult } from '../../../kernel/route.ts';
import { fingerprint, storeKey, takeKey } from '../../../platform/keys/idempotency-key.ts';

type Claim = RouteRequest<never, never, never>['claim'];

/** An answer whose body is known as text, so that a repetition is answered byte by byte the same. */
export interface KeyedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const toResult = ({ status, headers, body }: KeyedAnswer): RouteResult => ({
  status,
  headers,
  content: { type: 'application/json; charset=utf-8', data: body },
});

/**
 * Runs the effect in a transaction of its own, once for each key: for routes that read their body before
 * they open one.
 *
 * @param bytes the body, part of what a key stands for
 */
export async function oncePerKey(
  ctx: SellerCtx,
  claim: Claim,
  bytes: Buffer,
  effect: (db: Db) => Promise<KeyedAnswer>,
): Promise<RouteResult> {
  const sellerId = ctx.seller.seller_id;
  return ctx.transaction('write', async (db) => {
    if (claim === undefined) return toResult(await effect(db));
    const whole = { ...claim, fingerprint: fingerprint([claim.fingerprint, bytes]) };
    const earlier = await takeKey(db, sellerId, whole, ctx.now());
    if (earlier?.status !== undefined) {
      const { status, headers = {}, body = '' } = earlier;
      return toResult({ status, headers: { ...headers, 'idempotent-replayed': 'true' }, body });
    }
    const answer = await effect(db);
    await storeKey(db, sellerId, whole, ctx.now(), answer);
    return toResult(answer);
  });
}
