/** The timers of an order. */
import { expire } from './answer-placement.ts';
import { acceptCancelRequest } from './cancel.ts';
import { type Timer, timersOf } from './deadlines.ts';
import { deriveStatuses } from './derive-statuses.ts';
import { requireMove } from './require-move.ts';
import { closeReturns } from './returns.ts';
import { emit, emitOrder, type Work } from './work.ts';

const RUN: Readonly<Record<Timer['kind'], (work: Work, timer: Timer) => void>> = {
  warn_acceptance: (work) => {
    requireMove(work.order, 'warn_acceptance');
    work.order.head.acceptance_warned_at = work.at;
    work.notes.push({ action: 'acceptance_due' });
    emitOrder(work, 'order.acceptance_due');
  },
  expire,
  flag_late: (work) => {
    requireMove(work.order, 'flag_late');
    work.order.head.late_at = work.at;
    work.notes.push({ action: 'late' });
    emitOrder(work, 'order.late');
  },
  grant_cancel_request: (work, { id = '' }) => acceptCancelRequest(work, id, true),
  warn_dispute: (work, { id }) => {
    requireMove(work.order, 'warn_dispute');
    const dispute = work.order.disputes.find(({ dispute_id }) => dispute_id === id);
    if (dispute === undefined) throw new Error(`no dispute ${id}`);
    dispute.warned_at = work.at;
    // The marketplace reported it too late for an answer.
    if (dispute.respond_by === null || Date.parse(dispute.respond_by) <= work.now) return;
    work.notes.push({ action: 'dispute_action_needed', facts: { dispute_id: dispute.dispute_id } });
    emit(work, 'dispute.action_needed', 'dispute', dispute.dispute_id);
  },
  close: (work) => {
    requireMove(work.order, 'close');
    work.order.head.closed_at = work.at;
    closeReturns(work);
    work.notes.push({ action: 'closed' });
    emitOrder(work, 'order.closed');
  },
};

/** Runs all due timers by their instants; each may add or remove others. */
export function runTimers(work: Work): void {
  // The limit prevents an endless loop. No order has more timers.
  for (let left = work.order.cancel_requests.length + work.order.disputes.length + 8; left > 0; left -= 1) {
    const [next] = timersOf(work.order);
    if (next === undefined || Date.parse(next.at) > work.now) return;
    RUN[next.kind](work, next);
    deriveStatuses(work);
  }
}
