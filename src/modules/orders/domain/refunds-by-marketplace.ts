/**
 * Refunds of the marketplace, with or without a request of the seller: made, succeeded, failed, in any order.
 */
import { type Minor, sumMinor } from '../../../kernel/money.ts';
import { higherNumber } from './higher-number.ts';
import { refundMachine } from './machines.ts';
import {
  addLines,
  emitRefund,
  lineLessRefunds,
  newRefund,
  outranks,
  type RefundPart,
  requireRefundable,
  type Settlement,
} from './money-moves.ts';
import type { Order, OrderLine, Refund } from './order.ts';
import { Refusal } from './refusal.ts';
import { requireMove } from './require-move.ts';
import type { Work } from './work.ts';

interface CreatedRefund {
  readonly id: string;
  /** The seller's request; null without one. */
  readonly seller_refund_id: string | null;
  readonly reason: string | null;
  readonly time: string;
}

/**
 * A refund of which only the failure has arrived; its content arrives later. It reserves no amount, so the refund that
 * replaces it fits, no matter which of the two arrives first.
 */
const isPlaceholder = ({ made_at, amount_minor, status }: Refund): boolean =>
  status === 'failed' && made_at === null && amount_minor === 0n;

/** A request of the seller that the marketplace declined. */
const isDeclined = ({ made_at, external_refund_id, status }: Refund): boolean =>
  status === 'failed' && made_at === null && external_refund_id === null;

const outcomeOf = ({ status, settled_at, settled_version, failure_code }: Refund): Partial<Refund> => ({
  status,
  settled_at,
  settled_version,
  failure_code,
});

/** What the marketplace can still refund of a line; requests of the seller do not count. */
const settledLeft = (order: Order, line: OrderLine, except: string | undefined): Minor =>
  lineLessRefunds(
    order,
    line.order_line_id,
    ({ status, refund_id }) => status !== 'failed' && status !== 'requested' && refund_id !== except,
  );

/**
 * The seller's request that a refund answers: the event names it, or the refund has its id.
 *
 * @throws Refusal `not_found`, `invalid_transition`
 */
function requestFor({ refunds }: Order, { id, seller_refund_id }: CreatedRefund): Refund | undefined {
  const name = seller_refund_id ?? id;
  const asked = refunds.find((one) => one.refund_id === name && !isPlaceholder(one));
  if (seller_refund_id !== null && asked === undefined)
    throw new Refusal('not_found', `The order has no refund ${seller_refund_id}.`);
  if (asked !== undefined && !isDeclined(asked) && !refundMachine.allows('create', asked.status))
    throw new Refusal('invalid_transition', `The refund ${asked.refund_id} is ${asked.status}.`);
  return asked;
}

/** Records a refund that the marketplace makes. @throws Refusal `refund_exceeds_line`, `not_found` */
export function createRefund(work: Work, created: CreatedRefund, parts: readonly RefundPart[]): boolean {
  const { order } = work;
  const { id, reason, time } = created;
  const known = order.refunds.find(({ external_refund_id }) => external_refund_id === id);
  const placeholder = known !== undefined && isPlaceholder(known) ? known : undefined;
  if (known !== undefined && placeholder === undefined) {
    if (sameParts(order, known, parts)) return false;
    throw new Refusal('invalid_transition', `The refund ${id} was made with different amounts.`);
  }
  const asked = requestFor(order, created);
  const ended = placeholder ?? (asked !== undefined && isDeclined(asked) ? asked : undefined);
  requireMove(order, 'refund');
  if (ended === undefined) requireRefundable(parts, (line) => settledLeft(order, line, asked?.refund_id));
  const refund =
    asked ??
    ended ??
    newRefund(work, parts, {
      ...(id.startsWith('rfd_') ? { refund_id: id } : {}),
      requested_by: 'marketplace',
      reason,
    });
  if (order.refunds.includes(refund)) refund.version += 1;
  else order.refunds.push(refund);
  Object.assign(refund, {
    ...(ended === undefined ? { status: 'processing' } : outcomeOf(ended)),
    external_refund_id: id,
    reason: asked === undefined ? reason : asked.reason,
    made_at: time,
    amount_minor: sumMinor(parts.map(({ amount_minor }) => amount_minor)),
  });
  if (ended !== undefined && ended !== refund) order.refunds.splice(order.refunds.indexOf(ended), 1);
  // The marketplace's lines and amounts replace the requested ones.
  order.refund_lines = order.refund_lines.filter(({ refund_id }) => refund_id !== refund.refund_id);
  addLines(order, refund.refund_id, parts);
  emitRefund(work, refund, 'created', time);
  if (placeholder !== undefined) emitRefund(work, refund, 'failed', refund.settled_at ?? time);
  return true;
}

function sameParts(order: Order, { refund_id }: Refund, parts: readonly RefundPart[]): boolean {
  const known = order.refund_lines.filter((line) => line.refund_id === refund_id);
  return (
    known.length === parts.length &&
    parts.every(({ line, quantity, amount_minor }) =>
      known.some(
        (one) =>
          one.order_line_id === line.order_line_id &&
          one.quantity === quantity &&
          one.amount_minor === amount_minor,
      ),
    )
  );
}

type Outcome = Settlement & {
  readonly status: 'succeeded' | 'failed';
  readonly provider_transaction_id?: string | null;
  readonly failure_code?: string | null;
};

/**
 * Stores the failure of an unknown refund if a newer refund is known, because that one may replace it. Without a newer
 * refund the event is refused, as for any unknown refund.
 */
function addPlaceholder(work: Work, id: string, { status, at, version, failure_code }: Outcome): boolean {
  const { refunds } = work.order;
  if (status !== 'failed' || !refunds.some(({ made_at }) => made_at !== null && made_at >= at)) return false;
  const placeholder = newRefund(work, [], {
    ...(id.startsWith('rfd_') ? { refund_id: id } : {}),
    external_refund_id: id,
    requested_by: 'marketplace',
    status,
    settled_at: at,
    settled_version: version,
    failure_code: failure_code ?? null,
  });
  if (refunds.some(({ refund_id }) => refund_id === placeholder.refund_id)) return false;
  refunds.push(placeholder);
  work.notes.push({
    action: 'refund_failed',
    occurred_at: at,
    facts: { refund_id: placeholder.refund_id, status },
  });
  return true;
}

/** @throws Refusal `refund_exceeds_line` when a newer refund has replaced it since it failed */
function requireStillRefundable({ order }: Work, refund: Refund): void {
  const parts = order.refund_lines.flatMap(({ refund_id, order_line_id, quantity, amount_minor }) =>
    order.lines.flatMap((line) =>
      refund_id === refund.refund_id && line.order_line_id === order_line_id
        ? [{ line, quantity, amount_minor }]
        : [],
    ),
  );
  requireRefundable(parts, (line) => settledLeft(order, line, refund.refund_id));
}

/**
 * Records that a refund succeeded or failed. A request that fails before the marketplace made a refund is
 * declined.
 *
 * @param id the marketplace's id of the refund, or the id of the seller's request
 * @returns false when the event is stale
 * @throws Refusal `not_found`, `refund_exceeds_line`
 */
export function settleRefund(work: Work, id: string, outcome: Outcome): boolean {
  const { refunds } = work.order;
  const refund =
    refunds.find(({ external_refund_id }) => external_refund_id === id) ??
    refunds.find(({ refund_id }) => refund_id === id);
  const early =
    refund === undefined || refund.status === 'requested' || isPlaceholder(refund) || isDeclined(refund);
  if (refund === undefined && addPlaceholder(work, id, outcome)) return true;
  if (refund === undefined || (early && outcome.status !== 'failed'))
    throw new Refusal('not_found', 'The order has no refund with this id.');
  const { settled_at, settled_version, status } = refund;
  if (outranks({ at: settled_at, version: settled_version, status }, outcome, ['succeeded', 'failed']))
    return false;
  if (status === outcome.status && settled_at === outcome.at) {
    refund.settled_version = higherNumber(settled_version, outcome.version);
    return false;
  }
  if (status === 'failed' && outcome.status === 'succeeded') requireStillRefundable(work, refund);
  Object.assign(refund, {
    status: outcome.status,
    settled_at: outcome.at,
    settled_version: outcome.version,
    provider_transaction_id: outcome.provider_transaction_id ?? refund.provider_transaction_id,
    failure_code: outcome.status === 'failed' ? (outcome.failure_code ?? null) : null,
    version: refund.version + 1,
  });
  emitRefund(work, refund, outcome.status, outcome.at);
  return true;
}
