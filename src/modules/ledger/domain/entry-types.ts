/**
 * The accounts of the ledger and the types of a seller's lines. Both lists are closed.
 * Source: docs/design/money.md#accounts-and-types.
 */

const ACCOUNTS = {
  provider_clearing: 'asset',
  order_escrow: 'liability',
  seller_payable: 'liability',
  seller_reserve: 'liability',
  seller_settled: 'liability',
  seller_in_transit: 'liability',
  buyer_refunds_payable: 'liability',
  loyalty_fund: 'liability',
  platform_fee_income: 'income',
  seller_order_fee_income: 'income',
  processing_cost: 'expense',
  manual_adjustments: 'expense',
  platform_loss: 'expense',
  rounding: 'expense',
} as const;
export type Account = keyof typeof ACCOUNTS;

export const BUCKETS = ['gross', 'fees', 'adjustments', 'reserve'] as const;
export type Bucket = (typeof BUCKETS)[number];

export const COMPONENTS = [
  'platform_fee',
  'loyalty_program_fund',
  'seller_order_fee',
  'payment_processing',
  'adjustments',
] as const;
export type Component = (typeof COMPONENTS)[number];

interface TypeDef {
  readonly bucket: Bucket;
  readonly component: Component | null;
  /** The account of the opposite leg; null if it depends on the event. */
  readonly counter: Account | null;
  /** Whether the type credits a fee, or reverses such a credit. */
  readonly credit?: true;
}

const fee = (component: Component, counter: Account) => ({ bucket: 'fees', component, counter }) as const;
const credit = (component: Component, counter: Account) =>
  ({ bucket: 'fees', component, counter, credit: true }) as const;
const adjustment = (counter: Account | null) =>
  ({ bucket: 'adjustments', component: 'adjustments', counter }) as const;

export const ENTRY_TYPES = {
  sale: { bucket: 'gross', component: null, counter: 'order_escrow' },
  platform_fee: fee('platform_fee', 'platform_fee_income'),
  platform_fee_credit: credit('platform_fee', 'platform_fee_income'),
  platform_fee_credit_reversal: credit('platform_fee', 'platform_fee_income'),
  loyalty_program_fund: fee('loyalty_program_fund', 'loyalty_fund'),
  loyalty_program_fund_credit: credit('loyalty_program_fund', 'loyalty_fund'),
  loyalty_program_fund_credit_reversal: credit('loyalty_program_fund', 'loyalty_fund'),
  seller_order_fee: fee('seller_order_fee', 'seller_order_fee_income'),
  seller_order_fee_credit: credit('seller_order_fee', 'seller_order_fee_income'),
  payment_processing: fee('payment_processing', 'processing_cost'),
  payment_processing_credit: credit('payment_processing', 'processing_cost'),
  // The provider's fee for a dispute, which the seller pays. The disputed amount itself is an adjustment.
  dispute_fee: fee('payment_processing', 'processing_cost'),
  dispute_fee_credit: credit('payment_processing', 'processing_cost'),
  refund: adjustment('buyer_refunds_payable'),
  refund_reversal: adjustment('buyer_refunds_payable'),
  chargeback: adjustment('provider_clearing'),
  chargeback_reversal: adjustment('provider_clearing'),
  manual_adjustment: adjustment(null),
  settlement_correction: adjustment('manual_adjustments'),
  reserve_hold: { bucket: 'reserve', component: null, counter: 'seller_reserve' },
  reserve_release: { bucket: 'reserve', component: null, counter: 'seller_reserve' },
} as const satisfies Readonly<Record<string, TypeDef>>;
export type EntryType = keyof typeof ENTRY_TYPES;

/**
 * The types of a delivery. An order with nothing left to pay after its discounts has no sale, but the charges of its
 * delivery; the first line of these types counts the order.
 */
const DELIVERY_TYPES: readonly EntryType[] = ['sale', 'seller_order_fee', 'payment_processing'];
export const isDelivery = (type: string): boolean => DELIVERY_TYPES.some((one) => one === type);
/** The same as a list of SQL. */
export const DELIVERY_LIST = `(${DELIVERY_TYPES.map((type) => `'${type}'`).join(', ')})`;

export const bucketOf = (type: EntryType): Bucket => ENTRY_TYPES[type].bucket;
export const componentOf = (type: EntryType): Component | null => ENTRY_TYPES[type].component;
export const isCredit = (type: EntryType): boolean => (ENTRY_TYPES[type] as TypeDef).credit === true;
