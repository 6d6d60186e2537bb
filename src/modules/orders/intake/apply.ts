/** Applies an event of the marketplace to the order that it names. */
import type { Acting, Actor } from '../../../kernel/context.ts';
import { requireNotFuture } from '../../../kernel/event-order.ts';
import {
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
} from '../../../kernel/events.ts';
import { changeOrder } from '../actions/change-order.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Work } from '../domain/work.ts';
import { findOrderId } from '../store/load-orders.ts';

export const sellerNotFound = (): IntakeRejection =>
  new IntakeRejection('seller_not_found', 'sellerid must name the seller of the order.');

interface Subject {
  readonly kind: 'order' | 'shipment';
  /** Code of the rejection when the order lacks the part that the data names. */
  readonly part?: string;
  readonly actor?: Actor['kind'];
  /** Instants in the data, by the names of their fields. */
  readonly instants?: Readonly<Record<string, string | undefined>>;
}

/**
 * Applies an event to the order that it is about.
 *
 * @param rule returns false when the event is stale
 * @throws IntakeRejection which leaves the id free: `seller_not_found`, `order_not_found`,
 *   `shipment_not_found`, and the refusals of the rule
 */
export async function applyToOrder(
  intake: IntakeCtx,
  event: MarketplaceEvent<unknown>,
  { kind, part = 'order_not_found', actor = 'marketplace', instants = {} }: Subject,
  rule: (work: Work, ctx: Acting) => boolean | undefined | Promise<boolean | undefined>,
): Promise<IntakeOutcome> {
  requireNotFuture(intake.now(), instants);
  const ctx = intake.acting(event.seller_id ?? '', { kind: actor, id: null });
  const orderId = await findOrderId(ctx, kind, event.subject ?? '');
  if (orderId === undefined && !(await intake.knows(ctx.seller_id))) throw sellerNotFound();
  const missing = new IntakeRejection(`${kind}_not_found`, `The seller has no such ${kind}.`);
  if (orderId === undefined) throw missing;
  try {
    const changed = await changeOrder(ctx, orderId, (work) => rule(work, ctx));
    if (changed === undefined) throw missing;
    return { status: changed.result === false ? 'stale' : 'applied' };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new IntakeRejection(error.code === 'not_found' ? part : error.code, error.message);
  }
}
