import type { Minor } from '../../../kernel/money.ts';

/** A line of the statement, or the sum of several lines of one kind. */
export interface Posted {
  readonly component: string | null;
  readonly bucket: 'gross' | 'fees' | 'adjustments' | 'reserve' | 'cost';
  /** Null for an amount of the whole order. */
  readonly order_line_id: string | null;
  readonly seller_sku: string | null;
  /** Above zero if the seller gains. */
  readonly amount: Minor;
}
