/** In whose name jobs move money. */
import type { Db } from '../../kernel/context.ts';
import { appendEvents } from '../../platform/outbox/append.ts';
import type { Services } from '../../platform/services.ts';
import type { SettlementCtx } from './actions/move-settlement.ts';

/** The service itself, for one seller, in the transaction of `db`. */
export function inName(services: Pick<Services, 'ids' | 'now'>, sellerId: string, db: Db): SettlementCtx {
  const { ids, now } = services;
  const origin = { sellerId, ids, now: now(), correlation: { request_id: null, idempotency_key: null } };
  return {
    db,
    sellerId,
    ids,
    now,
    actor: 'system',
    emit: (...events) => appendEvents(db, origin, events),
  };
}
