/** The facts of an order about money. Instants are RFC 3339; amounts are minor units of the order's currency. */
import type { Minor } from '../../../kernel/money.ts';

export interface MoneyLine {
  readonly order_line_id: string;
  readonly kind: 'item' | 'shipping';
  readonly sku: string | null;
  /** After the discount. */
  readonly net_minor: Minor;
  /** The number of units; a shipping line has none. */
  readonly ordered: number;
  readonly delivered: number;
  /** Units that were rejected, cancelled or lost, and will never be delivered. */
  readonly ended: number;
}

export interface MoneyDelivery {
  readonly at: string;
  readonly lines: readonly { readonly order_line_id: string; readonly quantity: number }[];
}

export interface MoneyRefund {
  /** The marketplace's own id. */
  readonly refund_id: string;
  readonly status: 'processing' | 'succeeded' | 'failed';
  /** The instants at which the refund was made, and succeeded or failed. */
  readonly made_at: string;
  readonly settled_at: string | null;
  readonly lines: readonly {
    readonly order_line_id: string;
    readonly quantity: number;
    readonly amount_minor: Minor;
  }[];
}

export interface MoneyDispute {
  /** The marketplace's own id. */
  readonly dispute_id: string;
  readonly status: 'open' | 'lost' | 'won';
  readonly amount_minor: Minor;
  readonly provider_fee_minor: Minor;
  readonly returned_fee_minor: Minor | null;
  readonly opened_at: string;
  readonly decided_at: string | null;
}

export interface MoneyCapture {
  readonly at: string;
  /** The buyer's payment for this order, and the fee that the provider has kept. */
  readonly amount_minor: Minor;
  readonly provider_fee_minor: Minor;
}

export interface OrderMoney {
  readonly order_id: string;
  readonly currency: string;
  readonly loyalty: boolean;
  readonly captured: MoneyCapture | null;
  readonly lines: readonly MoneyLine[];
  /** Parcels that have arrived. */
  readonly deliveries: readonly MoneyDelivery[];
  readonly refunds: readonly MoneyRefund[];
  readonly disputes: readonly MoneyDispute[];
}

/** The rates of the order, frozen. */
export interface OrderTerms {
  readonly fee_schedule_version: string;
  readonly loyalty_program_fund_bps: number;
  readonly seller_order_fee_minor: Minor;
  readonly line_rates: readonly {
    readonly order_line_id: string;
    readonly platform_fee_bps: number;
    readonly source: string;
  }[];
}
