/** Lines of the statement, and the figures of an order. */

import Type from 'typebox';
import { Extended, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { BUCKETS, COMPONENTS, ENTRY_TYPES, type EntryType } from '../../ledger/index.ts';
import { Amount, Day } from '../../reconciliation/index.ts';
import { LINE_STATUSES } from '../domain/order-figures.ts';

const NullableText = Nullable(Type.String());
const TYPES = Object.keys(ENTRY_TYPES) as EntryType[];
export const LineType = StringEnum(TYPES, {
  title: 'LedgerEntryType',
  description: 'What an entry of the ledger is for',
});
export const LineBucket = StringEnum(BUCKETS, {
  title: 'LedgerBucket',
  description: 'The sum of a settlement in which an entry counts',
});
const LineStatus = StringEnum(LINE_STATUSES, {
  title: 'LedgerEntryStatus',
  description: 'in_hold before `available_on`; settled: in a closed settlement; paid: that was paid',
});

/** Query parameters of lists of orders. */
export const firstLineDays = {
  from: Type.Optional(Day('The order’s first line counts on this day or later')),
  to: Type.Optional(Day('The order’s first line counts on this day or earlier')),
};

const FeeComponent = StringEnum(COMPONENTS, {
  title: 'FeeComponent',
  description: 'Part of the fees and adjustments',
});

const lineFields = {
  transaction_id: Type.String(),
  type: LineType,
  component: Nullable(FeeComponent),
  bucket: LineBucket,
  order_line_id: NullableText,
  sku: NullableText,
  quantity: Nullable(Type.Integer({ description: 'Units that it is for; null where there are none' })),
  amount_minor: Amount('Seen from the seller: a charge is below zero'),
  rate_bps: Nullable(Type.Integer({ description: 'Rate in basis points, where one was applied' })),
  posted_on: Day('Sydney day on which it counts'),
  available_on: Day('Sydney day from which on it may be settled'),
  occurred_at: Instant(),
  related_id: Nullable(
    Type.String({ description: 'Refund, dispute, adjustment or reserve, as the marketplace names it' }),
  ),
  description: Nullable(Type.String({ description: 'What it is, in words' })),
  late: Type.Boolean({
    description: 'Whether its own day was closed already; then it counts on the day of its recording',
  }),
  status: LineStatus,
  settlement_id: NullableText,
};
const TransactionLine = Type.Object(lineFields, {
  title: 'TransactionLine',
  description: 'One entry of the ledger about an order.',
});
export const EntrySchema = Extended(
  TransactionLine,
  { order_id: NullableText, order_number: NullableText, currency: Type.String() },
  { title: 'FinancialEntry', description: 'One entry of the seller’s ledger.' },
);

const FeeComponents = Type.Object(
  {
    platform_fee_minor: Amount('Fees charged'),
    loyalty_program_fund_minor: Amount('Fees charged'),
    seller_order_fee_minor: Amount('Fees charged'),
    payment_processing_minor: Amount('Passed on from the provider, dispute fees included'),
    fee_credits_minor: Amount('Fees given back'),
  },
  { title: 'OrderFeeComponents', description: 'Fees are the four charges less the credits' },
);

export const OrderStatementSchema = Type.Object(
  {
    order_id: Type.String(),
    order_number: NullableText,
    posted_on: Day('Sydney day of its first line'),
    available_on: Day('Day from which its first line is available'),
    status: LineStatus,
    settlement_id: Nullable(
      Type.String({ description: 'Settlement of its first line; each line has its own' }),
    ),
    currency: Type.String(),
    gross_order_amount_minor: Amount('What was delivered, after discounts'),
    marketplace_fees_minor: Amount('Charged less given back; above zero is a cost'),
    adjustments_minor: Amount('Below zero is a cost'),
    net_payout_minor: Amount('Gross less fees plus adjustments'),
    fee_components: FeeComponents,
    missing_components: Type.Array(FeeComponent, {
      description: 'Fees that are incomplete because the provider did not report its part',
    }),
    fee_schedule_version: NullableText,
    lines: Type.Array(TransactionLine, { description: 'The entries behind the sums' }),
  },
  { title: 'FeeTransaction', description: 'What was charged and paid for one order.' },
);

const LINE_EXAMPLE = {
  transaction_id: 'txn_06fh5m2k9x0001a2b3c4d5e6f7',
  type: 'platform_fee' as const,
  component: 'platform_fee' as const,
  bucket: 'fees' as const,
  order_line_id: 'oli_06fh5m2k9x0008m1q4t7v2w5y8',
  sku: 'TIN-S',
  quantity: null,
  amount_minor: -599,
  rate_bps: 1_000,
  posted_on: '2026-07-04',
  available_on: '2026-07-11',
  occurred_at: '2026-07-04T03:00:00.000Z',
  related_id: null,
  description: 'Platform fee 10.00%',
  late: false,
  status: 'in_hold' as const,
  settlement_id: null,
};
export const ENTRY_EXAMPLE = { ...LINE_EXAMPLE, order_id: 'ord_1004', order_number: '1004', currency: 'AUD' };
export const ORDER_STATEMENT_EXAMPLE = {
  order_id: 'ord_1004',
  order_number: '1004',
  posted_on: '2026-07-04',
  available_on: '2026-07-11',
  status: 'in_hold' as const,
  settlement_id: null,
  currency: 'AUD',
  gross_order_amount_minor: 6_835,
  marketplace_fees_minor: 864,
  adjustments_minor: 0,
  net_payout_minor: 5_971,
  fee_components: {
    platform_fee_minor: 684,
    loyalty_program_fund_minor: 0,
    seller_order_fee_minor: 30,
    payment_processing_minor: 150,
    fee_credits_minor: 0,
  },
  missing_components: [],
  fee_schedule_version: '2026-07',
  lines: [LINE_EXAMPLE],
};
