/** The state of the buyer's payment. The shares of the ledger decide, so that both always agree. */
import { type Minor, sumMinor } from '../../../kernel/money.ts';
import { sharesOf } from '../../ledger/domain/order-shares.ts';
import type { PaymentStatus } from './money-statuses.ts';
import type { Order } from './order.ts';
import { moneyOf } from './order-money.ts';

/** The amount that the buyer gets back: for units that will never be delivered, and by refunds of other units. */
function givenBackOf(order: Order): Minor {
  const { lines, refunds } = sharesOf(moneyOf(order), null);
  const claims = [...refunds.values()].flat().flatMap(({ seller, escrow }) => [seller, escrow]);
  return sumMinor([...lines.map(({ ended }) => ended), ...claims]);
}

/** @param hasEnded all units were rejected or cancelled */
export function paymentStatusOf(order: Order, hasEnded: boolean): PaymentStatus {
  const { captured_at, total_minor } = order.head;
  if (hasEnded && (captured_at === null || total_minor === 0n)) return 'voided';
  if (captured_at === null) return 'pending';
  const givenBack = givenBackOf(order);
  if (givenBack === 0n) return 'captured';
  return givenBack >= total_minor ? 'refunded' : 'partially_refunded';
}
