/**
 * Captures, refund requests and disputes of an order: facts and states. The ledger works out what they cost.
 */
import { lessMinor, type Minor, minor, minorToJson, sumMinor } from '../../../kernel/money.ts';
import { refundedOf } from './derive-statuses.ts';
import { higherNumber } from './higher-number.ts';
import { disputeMachine } from './machines.ts';
import type { Dispute, Order, OrderHead, OrderLine, Refund } from './order.ts';
import { Refusal } from './refusal.ts';
import { requireMove } from './require-move.ts';
import { emit, emitOrder, type Work } from './work.ts';

type Capture = Pick<
  OrderHead,
  | 'charge_id'
  | 'captured_minor'
  | 'provider_fee_minor'
  | 'provider_transaction_id'
  | 'charge_total_minor'
  | 'charge_provider_fee_minor'
  | 'share_of'
>;

/**
 * Records that the buyer's payment was captured.
 *
 * @returns false when it is known already
 * @throws Refusal `invalid_transition` when a different payment was captured before
 */
export function capture(work: Work, facts: Capture, time: string): boolean {
  const { head } = work.order;
  if (head.captured_at !== null) {
    if (head.charge_id === facts.charge_id && head.captured_minor === facts.captured_minor) return false;
    throw new Refusal('invalid_transition', 'A different payment of the order was captured before.');
  }
  requireMove(work.order, 'capture');
  Object.assign(head, facts, { captured_at: time });
  work.notes.push({
    action: 'payment_captured',
    occurred_at: time,
    facts: { charge_id: facts.charge_id, captured_minor: minorToJson(facts.captured_minor ?? minor(0)) },
  });
  emitOrder(work, 'order.payment_captured');
  return true;
}

export interface RefundPart {
  readonly line: OrderLine;
  readonly quantity: number;
  readonly amount_minor: Minor;
}

/** The net amount of a line less its part in the refunds that count. */
export function lineLessRefunds(
  order: Order,
  orderLineId: string,
  counts: (refund: Refund) => boolean,
): Minor {
  const counted = new Set(order.refunds.filter(counts).map(({ refund_id }) => refund_id));
  const line = order.lines.find(({ order_line_id }) => order_line_id === orderLineId);
  const taken = order.refund_lines.filter(
    ({ order_line_id, refund_id }) => order_line_id === orderLineId && counted.has(refund_id),
  );
  return lessMinor(line?.net_minor ?? minor(0), ...taken.map(({ amount_minor }) => amount_minor));
}

/** What can still be refunded on a line: its net amount less refunds made and requested. */
export const refundable = (order: Order, orderLineId: string): Minor =>
  lineLessRefunds(order, orderLineId, ({ status }) => status !== 'failed');

/** The captured payment less refunds made and requested; null before the capture. */
export function paidLeft(order: Order): Minor | null {
  const { captured_minor } = order.head;
  const asked = order.refunds.filter(({ status }) => status === 'requested');
  return captured_minor === null
    ? null
    : lessMinor(captured_minor, refundedOf(order), ...asked.map((one) => one.amount_minor));
}

/** Checks the sum of the amounts on each line. @throws Refusal `refund_exceeds_line` */
export function requireRefundable(parts: readonly RefundPart[], left: (line: OrderLine) => Minor): void {
  for (const { line } of parts) {
    const asked = sumMinor(parts.filter((one) => one.line === line).map(({ amount_minor }) => amount_minor));
    if (asked > left(line))
      throw new Refusal(
        'refund_exceeds_line',
        `This is more than can still be refunded on line ${line.line_no}.`,
        {
          facts: {
            order_line_id: line.order_line_id,
            amount_minor: minorToJson(asked),
            remaining_minor: minorToJson(left(line)),
          },
        },
      );
  }
}

export function addLines(order: Order, refund_id: string, parts: readonly RefundPart[]): void {
  for (const { line, quantity, amount_minor } of parts)
    order.refund_lines.push({
      order_id: order.head.order_id,
      refund_id,
      order_line_id: line.order_line_id,
      quantity,
      amount_minor,
    });
}

export const newRefund = (work: Work, parts: readonly RefundPart[], more: Partial<Refund>): Refund => ({
  refund_id: work.newId('rfd_'),
  external_refund_id: null,
  order_id: work.order.head.order_id,
  status: 'requested',
  requested_by: 'seller',
  amount_minor: sumMinor(parts.map(({ amount_minor }) => amount_minor)),
  reason: null,
  provider_transaction_id: null,
  failure_code: null,
  created_at: work.at,
  made_at: null,
  settled_at: null,
  settled_version: null,
  version: 1,
  ...more,
});

export function emitRefund(
  work: Work,
  { refund_id, status, reason }: Refund,
  word: 'requested' | 'created' | 'succeeded' | 'failed',
  time?: string,
): void {
  work.notes.push({
    action: `refund_${word}`,
    reason,
    occurred_at: time,
    facts: { refund_id, status },
  });
  emit(work, `refund.${word}`, 'refund', refund_id);
}

/**
 * Requests a refund from the marketplace.
 *
 * @throws Refusal `invalid_transition`, `refund_exceeds_line`, `refund_exceeds_paid`
 */
export function requestRefund(work: Work, parts: readonly RefundPart[], reason: string | null): Refund {
  const { order } = work;
  requireMove(order, 'request_refund');
  requireRefundable(parts, (line) => refundable(order, line.order_line_id));
  const refund = newRefund(work, parts, { reason });
  const left = paidLeft(order);
  if (left !== null && refund.amount_minor > left)
    throw new Refusal('refund_exceeds_paid', 'This is more than what is left of the buyer’s payment.', {
      facts: { amount_minor: minorToJson(refund.amount_minor), remaining_minor: minorToJson(left) },
    });
  order.refunds.push(refund);
  addLines(order, refund.refund_id, parts);
  emitRefund(work, refund, 'requested');
  return refund;
}

export interface Settlement {
  readonly at: string;
  readonly version: bigint | null;
}

/**
 * Whether the known outcome wins over another: the newer one does; at the same instant, the later in `ranks`.
 */
export function outranks<S extends string>(
  known: { readonly at: string | null; readonly version: bigint | null; readonly status: S },
  update: Settlement & { readonly status: S },
  ranks: readonly S[],
): boolean {
  if (known.version !== null && update.version !== null && update.version !== known.version)
    return update.version < known.version;
  if (known.at === null) return false;
  if (known.at !== update.at) return update.at < known.at;
  return ranks.indexOf(update.status) < ranks.indexOf(known.status);
}

interface OpenedDispute {
  readonly id: string;
  readonly amount_minor: Minor;
  readonly provider_fee_minor: Minor;
  readonly respond_by: string | null;
  readonly time: string;
}

function emitDispute(work: Work, { dispute_id, status }: Dispute, time: string): void {
  const word = status === 'open' ? 'opened' : status;
  work.notes.push({ action: `dispute_${word}`, occurred_at: time, facts: { dispute_id } });
  emit(work, `dispute.${word}`, 'dispute', dispute_id);
}

/**
 * Records that the buyer disputes the payment.
 *
 * @returns false when the dispute is known already
 * @throws Refusal `invalid_transition` for a different dispute with a known id
 */
export function openDispute(work: Work, opened: OpenedDispute): boolean {
  const { order } = work;
  const { id, amount_minor, provider_fee_minor, respond_by, time } = opened;
  const known = order.disputes.find(({ external_dispute_id }) => external_dispute_id === id);
  if (known !== undefined) {
    if (known.amount_minor === amount_minor) return false;
    throw new Refusal('invalid_transition', `The dispute ${id} was opened with a different amount.`);
  }
  requireMove(order, 'dispute');
  const dispute: Dispute = {
    dispute_id: id.startsWith('dsp_') ? id : work.newId('dsp_'),
    external_dispute_id: id,
    order_id: order.head.order_id,
    status: 'open',
    amount_minor,
    provider_fee_minor,
    returned_fee_minor: null,
    respond_by,
    warned_at: null,
    opened_at: time,
    decided_at: null,
    decided_version: null,
    version: 1,
  };
  order.disputes.push(dispute);
  emitDispute(work, dispute, time);
  return true;
}

/** @returns false when the event is stale. @throws Refusal `not_found` */
export function decideDispute(
  work: Work,
  externalId: string,
  outcome: Settlement & { readonly status: 'lost' | 'won'; readonly returned_fee_minor: Minor | null },
): boolean {
  const dispute = work.order.disputes.find((one) => one.external_dispute_id === externalId);
  if (dispute === undefined) throw new Refusal('not_found', 'The order has no dispute with this id.');
  const { decided_at, decided_version, status } = dispute;
  if (!disputeMachine.allows(outcome.status === 'lost' ? 'lose' : 'win', status)) return false;
  if (outranks({ at: decided_at, version: decided_version, status }, outcome, ['won', 'lost'])) return false;
  if (status === outcome.status && decided_at === outcome.at) {
    dispute.decided_version = higherNumber(decided_version, outcome.version);
    return false;
  }
  Object.assign(dispute, {
    status: outcome.status,
    returned_fee_minor: outcome.returned_fee_minor,
    decided_at: outcome.at,
    decided_version: outcome.version,
    version: dispute.version + 1,
  });
  emitDispute(work, dispute, outcome.at);
  return true;
}
