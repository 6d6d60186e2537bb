import type { Clock, Db, SellerCtx, Standing } from '../../../kernel/context.ts';
import type { DeclaredEvent } from '../../../kernel/declared-event.ts';
import type { Ids } from '../../../kernel/ids.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import type { Actor } from '../store/product-changes.ts';

/** What a change of the catalogue needs, whoever makes it: a member through the API, or the marketplace. */
export interface WriteContext {
  readonly db: Db;
  readonly sellerId: string;
  readonly actor: Actor;
  readonly now: Clock;
  readonly ids: Ids;
  emit(...events: DeclaredEvent[]): Promise<void>;
}

/** The same with what limits a seller's own requests. */
export interface SellerWriteContext extends WriteContext {
  /** Ask after the first statement: it is then known without another one. */
  standing(): Promise<Standing>;
}

/**
 * The context of a member's request.
 *
 * @param db the transaction of the change; that of the request unless its handler opened one
 */
export function writeContext(ctx: SellerCtx, db: Db = ctx.db): SellerWriteContext {
  const sellerId = ctx.seller.seller_id;
  return {
    db,
    sellerId,
    actor: { kind: 'member', id: ctx.seller.member_id, request_id: ctx.request_id },
    now: ctx.now,
    ids: ctx.ids,
    emit: (...events) =>
      appendEvents(db, { sellerId, ids: ctx.ids, now: ctx.now(), correlation: ctx.correlation }, events),
    standing: () => ctx.standing(),
  };
}
