/** What happens to an order by itself, each at its instant. */
import { expire } from './answer-placement.ts';
import { acceptCancelRequest } from './cancel.ts';
import { type Timer, timersOf } from './deadlines.ts';
import { requireMove } from './require-move.ts';
import { closeReturns } from './returns.ts';
import { settle } from './settle.ts';
import { emitOrder, type Work } from './work.ts';

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
  close: (work) => {
    requireMove(work.order, 'close');
    work.order.head.closed_at = work.at;
    closeReturns(work);
    work.notes.push({ action: 'closed' });
    emitOrder(work, 'order.closed');
  },
};

/** Runs all that is due, in order of its instant; each may bring or take away others. */
export function runTimers(work: Work): void {
  // Every run settles one thing for good; the bound only says that no order has more of them.
  for (let left = work.order.cancel_requests.length + 8; left > 0; left -= 1) {
    const [next] = timersOf(work.order);
    if (next === undefined || Date.parse(next.at) > work.now) return;
    RUN[next.kind](work, next);
    settle(work);
  }
}
