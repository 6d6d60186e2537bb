/**
 * The demo marketplace pays settlements by hand, as the manual provider asks. Its events follow from the settlement
 * alone, so that sending them twice changes nothing.
 */
import { endOfBusinessDay } from '../src/kernel/australia/business-days.ts';
import { type CloudEvent, demoEvent, isoOf } from './demo-event.ts';

const HOUR_MS = 3_600_000;
/** Payouts leave and arrive at 12:00. */
const BEFORE_MIDNIGHT_MS = 12 * HOUR_MS;

interface ClosedSettlement {
  readonly settlement_id: string;
  /** `YYYY-MM-DD`. */
  readonly period_end: string;
  /** Milliseconds. */
  readonly closed_at: number;
}

/** The two events of a settlement that is due: its payout is in transit, then paid. */
export function payoutEvents(
  sellerId: string,
  { settlement_id, period_end, closed_at }: ClosedSettlement,
): readonly { readonly at: number; readonly event: CloudEvent }[] {
  const name = settlement_id.slice(-8);
  const payoutEvent = (status: 'in_transit' | 'paid', at: number, more: object) => ({
    at,
    event: demoEvent({
      id: `payout-${settlement_id}-${status}`,
      type: 'payout.updated',
      subject: settlement_id,
      sellerId,
      at,
      data: { status, at: isoOf(at), provider_payout_id: `po_${name}`, ...more },
    }),
  });
  return [
    payoutEvent('in_transit', endOfBusinessDay(closed_at, 1) - BEFORE_MIDNIGHT_MS, {
      payment_reference: `DEMO ${period_end}`,
    }),
    payoutEvent('paid', endOfBusinessDay(closed_at, 2) - BEFORE_MIDNIGHT_MS, {
      bank_reference: `BNK${name}`,
    }),
  ];
}
