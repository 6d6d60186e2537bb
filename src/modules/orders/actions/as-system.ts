/** Orders are changed in nobody's name too: by deadlines, by stock that comes in. */
import type { Db } from '../../../kernel/context.ts';
import { appendEvents } from '../../../platform/outbox/append.ts';
import type { Services } from '../../../platform/services.ts';
import type { Work } from '../domain/work.ts';
import type { Author } from '../store/order-history.ts';
import type { ChangeContext } from './change-context.ts';
import { changeOrder } from './change-order.ts';

const NOBODY: Author = { actor: { kind: 'system', id: null }, request_id: null, idempotency_key: null };

/** What orders are changed with in somebody's name without a request. */
export function contextOf(
  { now, ids, config }: Services,
  db: Db,
  sellerId: string,
  author: Author = NOBODY,
): ChangeContext {
  const { request_id, idempotency_key } = author;
  const correlation = { request_id, idempotency_key };
  return {
    db,
    sellerId,
    now,
    ids,
    author,
    config,
    emit: (...events) => appendEvents(db, { sellerId, ids, now: now(), correlation }, events),
  };
}

/** Changes an order in nobody's name. */
export function changeAsSystem(
  services: Services,
  sellerId: string,
  orderId: string,
  rule: (work: Work, ctx: ChangeContext) => void | Promise<void>,
): Promise<unknown> {
  return services.withSeller(sellerId, 'write', (db) => {
    const ctx = contextOf(services, db, sellerId);
    return changeOrder(ctx, orderId, (work) => rule(work, ctx));
  });
}
