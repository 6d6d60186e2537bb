/** What happened in the past of the demo marketplace, piece by piece: somebody does something at an instant. */
import type { CloudEvent } from '../demo-event.ts';

/** What the payment provider books for it. */
export interface Booking {
  readonly id: string;
  readonly type: 'charge' | 'refund' | 'dispute' | 'dispute_reversal' | 'payout';
  /** The provider's own object. */
  readonly source_id: string;
  /** Into the marketplace's account above zero, out of it below. */
  readonly amount_minor: number;
  readonly fee_minor: number;
}

interface At {
  /** Milliseconds. */
  readonly at: number;
  readonly books?: Booking;
}

/** The marketplace says something. */
export interface Telling extends At {
  readonly kind: 'tell';
  readonly event: CloudEvent;
}

/** The seller accepts, rejects or hands over; `pay` and `report` are the marketplace's own rounds. */
export type Deed =
  | Telling
  | (At & { readonly kind: 'accept' | 'reject' | 'dispatch'; readonly orderId: string })
  | (At & { readonly kind: 'pay' | 'report' });
