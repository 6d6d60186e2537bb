/** What the marketplace says of refunds: made, arrived, failed. In any order, and of requests of the seller too. */
import { lessMinor, type Minor, sumMinor } from '../../../kernel/money.ts';
import { refundMachine } from './machines.ts';
import {
  addLines,
  newRefund,
  outranks,
  type RefundPart,
  requireRefundable,
  type Settlement,
  tellRefund,
} from './money-moves.ts';
import { higherNumber, type Order, type OrderLine, type Refund } from './order.ts';
import { Refusal } from './refusal.ts';
import { requireMove } from './require-move.ts';
import type { Work } from './work.ts';

export interface CreatedRefund {
  readonly id: string;
  /** The seller's request that it answers. */
  readonly seller_refund_id: string | null;
  readonly reason: string | null;
  readonly time: string;
}

/**
 * A refund that is known only by having failed: what it was about is still on its way. It holds nothing back, so
 * that the refund which was made in its stead finds room, whichever is told first.
 */
const isOnlyNamed = ({ made_at, amount_minor, status }: Refund): boolean =>
  status === 'failed' && made_at === null && amount_minor === 0n;

/** Whether money was asked for and is not given back. */
const isDeclined = ({ made_at, external_refund_id, status }: Refund): boolean =>
  status === 'failed' && made_at === null && external_refund_id === null;

const outcomeOf = ({ status, settled_at, settled_version, failure_code }: Refund): Partial<Refund> => ({
  status,
  settled_at,
  settled_version,
  failure_code,
});

/** What events have settled of a line; requests do not count against the marketplace. */
function settledLeft(order: Order, line: OrderLine, except: string | undefined): Minor {
  const counted = new Set(
    order.refunds
      .filter(
        ({ status, refund_id }) => status !== 'failed' && status !== 'requested' && refund_id !== except,
      )
      .map(({ refund_id }) => refund_id),
  );
  const taken = order.refund_lines.filter(
    ({ order_line_id, refund_id }) => order_line_id === line.order_line_id && counted.has(refund_id),
  );
  return lessMinor(line.net_minor, ...taken.map(({ amount_minor }) => amount_minor));
}

/**
 * The request of the seller that a refund answers: it says so, or goes by the request's own name.
 *
 * @throws Refusal `not_found`, `invalid_transition`
 */
function requestFor({ refunds }: Order, { id, seller_refund_id }: CreatedRefund): Refund | undefined {
  const name = seller_refund_id ?? id;
  const asked = refunds.find((one) => one.refund_id === name && !isOnlyNamed(one));
  if (seller_refund_id !== null && asked === undefined)
    throw new Refusal('not_found', `The order has no refund ${seller_refund_id}.`);
  if (asked !== undefined && !isDeclined(asked) && !refundMachine.allows('create', asked.status))
    throw new Refusal('invalid_transition', `The refund ${asked.refund_id} is ${asked.status}.`);
  return asked;
}

/** The marketplace gives money back, asked by the seller or not. @throws Refusal `refund_exceeds_line`, `not_found` */
export function createRefund(work: Work, created: CreatedRefund, parts: readonly RefundPart[]): boolean {
  const { order } = work;
  const { id, reason, time } = created;
  const known = order.refunds.find(({ external_refund_id }) => external_refund_id === id);
  const named = known !== undefined && isOnlyNamed(known) ? known : undefined;
  if (known !== undefined && named === undefined) {
    if (sameParts(order, known, parts)) return false;
    throw new Refusal('invalid_transition', `The refund ${id} was made with other amounts.`);
  }
  const asked = requestFor(order, created);
  const ended = named ?? (asked !== undefined && isDeclined(asked) ? asked : undefined);
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
  // The marketplace's lines and amounts count, whatever was asked for.
  order.refund_lines = order.refund_lines.filter(({ refund_id }) => refund_id !== refund.refund_id);
  addLines(order, refund.refund_id, parts);
  tellRefund(work, refund, 'created', time);
  if (named !== undefined) tellRefund(work, refund, 'failed', refund.settled_at ?? time);
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
 * A refund that failed before another was made, and is told of after that: it may have been in the other's way.
 * Without such a newer one it is unknown like any other.
 */
function nameFailed(work: Work, id: string, { status, at, version, failure_code }: Outcome): boolean {
  const { refunds } = work.order;
  if (status !== 'failed' || !refunds.some(({ made_at }) => made_at !== null && made_at >= at)) return false;
  const named = newRefund(work, [], {
    ...(id.startsWith('rfd_') ? { refund_id: id } : {}),
    external_refund_id: id,
    requested_by: 'marketplace',
    status,
    settled_at: at,
    settled_version: version,
    failure_code: failure_code ?? null,
  });
  if (refunds.some(({ refund_id }) => refund_id === named.refund_id)) return false;
  refunds.push(named);
  work.notes.push({
    action: 'refund_failed',
    occurred_at: at,
    facts: { refund_id: named.refund_id, status },
  });
  return true;
}

/** @throws Refusal `refund_exceeds_line` when another was made in its stead since it failed */
function requireRoomAgain({ order }: Work, refund: Refund): void {
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
 * A refund arrived, or failed for good; a request that fails before anything was made of it is declined.
 *
 * @param id the marketplace's name of the refund, or the seller's of the request
 * @returns false when it is older than what is known
 * @throws Refusal `not_found`, `refund_exceeds_line`
 */
export function settleRefund(work: Work, id: string, outcome: Outcome): boolean {
  const { refunds } = work.order;
  const refund =
    refunds.find(({ external_refund_id }) => external_refund_id === id) ??
    refunds.find(({ refund_id }) => refund_id === id);
  const early =
    refund === undefined || refund.status === 'requested' || isOnlyNamed(refund) || isDeclined(refund);
  if (refund === undefined && nameFailed(work, id, outcome)) return true;
  if (refund === undefined || (early && outcome.status !== 'failed'))
    throw new Refusal('not_found', 'There is no such refund.');
  const { settled_at, settled_version, status } = refund;
  if (outranks({ at: settled_at, version: settled_version, status }, outcome, ['succeeded', 'failed']))
    return false;
  if (status === outcome.status && settled_at === outcome.at) {
    refund.settled_version = higherNumber(settled_version, outcome.version);
    return false;
  }
  if (status === 'failed' && outcome.status === 'succeeded') requireRoomAgain(work, refund);
  Object.assign(refund, {
    status: outcome.status,
    settled_at: outcome.at,
    settled_version: outcome.version,
    provider_transaction_id: outcome.provider_transaction_id ?? refund.provider_transaction_id,
    failure_code: outcome.status === 'failed' ? (outcome.failure_code ?? null) : null,
    version: refund.version + 1,
  });
  tellRefund(work, refund, outcome.status, outcome.at);
  return true;
}
