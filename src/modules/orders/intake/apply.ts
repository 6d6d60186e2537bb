/** What every event of the marketplace about an order has in common. */
import {
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import type { ChangeContext } from '../actions/change-context.ts';
import { changeOrder } from '../actions/change-order.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Work } from '../domain/work.ts';
import { findOrderId, sellerExists } from '../store/load-orders.ts';
import type { Actor } from '../store/order-history.ts';

export function contextOf(
  ctx: IntakeCtx,
  sellerId: string,
  sourceEventId: string,
  kind: Actor['kind'] = 'marketplace',
): ChangeContext {
  return {
    db: ctx.db,
    sellerId,
    now: ctx.now,
    ids: ctx.ids,
    author: { actor: { kind, id: null }, request_id: ctx.request_id, idempotency_key: null },
    config: ctx.acting(sellerId).config,
    sourceEventId,
    emit: (...events) => ctx.emit(sellerId, ...events),
  };
}

export const sellerNotFound = (): IntakeRejection =>
  new IntakeRejection('seller_not_found', 'sellerid must name the seller of the order.');

/** A marketplace may tell of what it is sure of; what lies years ahead is an error, and its deadlines may have no date. */
const AHEAD_MS = 10 * 366 * 86_400_000;

/**
 * Refuses what is said to have happened in ten years and later: all that really happens would be older, for ever.
 *
 * @param told instants by the names of their fields
 * @throws IntakeRejection `data_invalid`
 */
export function requireHappened(
  { now }: Pick<IntakeCtx, 'now'>,
  told: Readonly<Record<string, string | undefined>>,
): void {
  for (const [field, at] of Object.entries(told))
    if (at !== undefined && Date.parse(at) > now() + AHEAD_MS)
      throw new IntakeRejection('data_invalid', `${field} lies in the future: ${at}`);
}

export interface Subject {
  readonly kind: 'order' | 'shipment';
  /** Code for a part of the order that the data names and the order does not have. */
  readonly part?: string;
  readonly actor?: Actor['kind'];
  /** Instants of the data at which something is said to have happened, by their fields. */
  readonly told?: Readonly<Record<string, string | undefined>>;
}

/**
 * Applies an event to the order that it is about.
 *
 * @param rule false: older than what is known
 * @throws IntakeRejection which leaves the id free: `seller_not_found`, `order_not_found`, `shipment_not_found`,
 *   and whatever the rule refuses
 */
export async function applyToOrder(
  ctx: IntakeCtx,
  event: MarketplaceEvent<unknown>,
  { kind, part = 'order_not_found', actor, told = {} }: Subject,
  rule: (work: Work, change: ChangeContext) => boolean | undefined | Promise<boolean | undefined>,
): Promise<IntakeOutcome> {
  requireHappened(ctx, { time: event.time, ...told });
  const sellerId = event.seller_id ?? '';
  const change = contextOf(ctx, sellerId, event.id, actor);
  const orderId = await findOrderId(ctx.db, sellerId, kind, event.subject ?? '');
  if (orderId === undefined && !(await sellerExists(ctx.db, sellerId))) throw sellerNotFound();
  const missing = new IntakeRejection(`${kind}_not_found`, `The seller has no such ${kind}.`);
  if (orderId === undefined) throw missing;
  try {
    const changed = await changeOrder(change, orderId, (work) => rule(work, change));
    if (changed === undefined) throw missing;
    return { status: changed.result === false ? 'stale' : 'applied' };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new IntakeRejection(error.code === 'not_found' ? part : error.code, error.message);
  }
}
