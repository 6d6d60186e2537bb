/** The steps of the demo marketplace's past: at an instant, the marketplace or the seller does one thing. */
import type { CloudEvent } from '../demo-event.ts';

/** What the payment provider books for a step. */
export interface Booking {
  readonly id: string;
  readonly type: 'charge' | 'refund' | 'dispute' | 'dispute_reversal' | 'payout';
  /** The provider's own object. */
  readonly source_id: string;
  /** Above zero: into the marketplace's account; below: out of it. */
  readonly amount_minor: number;
  readonly fee_minor: number;
}

interface At {
  /** Milliseconds. */
  readonly at: number;
  readonly booking?: Booking;
}

/** The marketplace sends an event. */
export interface EventStep extends At {
  readonly kind: 'event';
  readonly event: CloudEvent;
}

/** What the shop does with suppliers. */
export type SupplyAct = 'request' | 'award' | 'receive' | 'list' | 'reorder' | 'request_again';
/** What suppliers do after it: count their stock, answer, or also send what they have accepted. */
export type SuppliersDo = 'count' | 'answer' | 'send';

/**
 * The seller accepts, rejects or dispatches, answers a buyer, contests that an order was late, or its rating, which the
 * marketplace upholds, proposes a promotion, which it approves, or asks it something and hears the answer; the
 * marketplace pays settlements, books points, and reports what the provider booked. The shop deals with suppliers.
 */
export type PastStep =
  | EventStep
  | (At & {
      readonly kind: 'accept' | 'reject' | 'dispatch' | 'contest' | 'answer' | 'contest_rating';
      readonly orderId: string;
    })
  | (At & { readonly kind: 'supply'; readonly act?: SupplyAct; readonly suppliers: SuppliersDo })
  | (At & { readonly kind: 'pay' | 'report' | 'promote' | 'points' | 'ask' | 'hear' });

export interface PastOptions {
  /** First instant of the first day, milliseconds. */
  readonly beganAt: number;
  /** Buyers place orders until then; other steps of these orders may be later. */
  readonly until: number;
  readonly sellerId: string;
}
