/** The platform's account at the provider follows the payments and refunds that the demo marketplace reports. */
import type { CloudEvent } from '../demo-event.ts';
import { isObject, listOf, textOf } from '../shop-owner.ts';
import type { Life } from './life.ts';
import type { Transaction } from './state.ts';

const amountOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

function bookingOf(
  event: CloudEvent,
): Pick<Transaction, 'id' | 'type' | 'amount' | 'fee' | 'source'> | undefined {
  const data = isObject(event.data) ? event.data : {};
  if (event.type.endsWith('.order.payment_captured'))
    return {
      id: textOf(data['provider_transaction_id']),
      type: 'charge',
      amount: amountOf(data['captured_minor']),
      fee: amountOf(data['provider_fee_minor']),
      source: textOf(data['charge_id']),
    };
  if (!event.type.endsWith('.refund.created')) return undefined;
  const refund = textOf(data['refund_id']);
  const amount = listOf(data['lines']).reduce((sum, line) => sum + amountOf(line['amount_minor']), 0);
  return { id: `txn_${refund}`, type: 'refund', amount: -amount, fee: 0, source: refund };
}

/** Books what an event says, once. */
export function book({ state, now }: Life, event: CloudEvent): void {
  const booking = bookingOf(event);
  if (booking === undefined || state.transactions.some(({ id }) => id === booking.id)) return;
  state.funds += booking.amount - booking.fee;
  const seller_id = event.sellerid ?? null;
  state.transactions.push({ ...booking, currency: 'aud', seller_id, created: now() });
}
