import Type, { type Static } from 'typebox';
import { frameFields, liveFrame } from '../../../kernel/frame.ts';
import { currencyExponent, type Minor, minorToJson } from '../../../kernel/money.ts';
import { allows, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { ENROLMENT_STATES } from '../domain/enrolment.ts';
import { ORDER_KINDS, RECONCILED } from '../domain/points.ts';
import type { ReconciledRow, StatementRow } from '../store/fund.ts';
import type { Journal } from '../store/points.ts';

const AT = '2026-09-01T00:00:00.000Z';
/** The calendar library reads it, so a day of another millennium is refused. */
const YEARS = allows('^2', 'Use a day from the year 2000 on, such as 2026-08-31.');
export const Day = (description: string) => Type.String({ format: 'date', ...YEARS, description });
const money = (description: string) => Type.Integer({ description });
const points = (description: string) => Type.Integer({ description });
/** Sums of points and of money are below 2^53. */
export const toNumber = (value: bigint): number => minorToJson(value as Minor);

const Money = {
  currency: Type.String(),
  currency_exponent: Type.Integer(),
};
const moneyOf = (currency: string) => ({ currency, currency_exponent: currencyExponent(currency) });

const Program = Type.Object(
  {
    version: Type.String({ description: 'Name of the terms' }),
    name: Type.String({ description: 'Name of the program' }),
    effective_from: Day('First Sydney day of the terms'),
    points_per_major: Type.Integer({
      description: 'Points for one unit of the currency, for example a dollar',
    }),
    notice_days: Type.Integer({ description: 'Days of notice before a seller leaves' }),
    terms_url: Type.String({ description: 'Where the terms are' }),
    terms_sha256: Type.String({ description: 'SHA-256 of the terms' }),
  },
  { title: 'LoyaltyTerms', description: 'Terms of the program.' },
);
export const PROGRAM: Static<typeof Program> = {
  version: '2026-1',
  name: 'Marketplace points',
  effective_from: '2026-06-01',
  points_per_major: 200,
  notice_days: 30,
  terms_url: 'https://marketplace.example/loyalty',
  terms_sha256: 'a'.repeat(64),
};
export const ProgramState = Type.Object(
  {
    current: Nullable(Program),
    upcoming: Type.Array(Program, { description: 'Terms to come, the next first' }),
    funding: Type.Array(
      Type.Object(
        {
          fee_schedule_version: Type.String(),
          effective_from: Day('First Sydney day of the rate'),
          loyalty_program_fund_bps: Type.Integer({
            description: 'Share of flagged item lines, in basis points',
          }),
        },
        { title: 'LoyaltyRate', description: 'The rate of the loyalty program fund.' },
      ),
      { description: 'The rates of the seller’s currency in their order' },
    ),
    ...frameFields,
  },
  { title: 'LoyaltyProgram', description: 'The terms of the program, and what sellers pay into its fund.' },
);
export const PROGRAM_EXAMPLE: Static<typeof ProgramState> = {
  current: PROGRAM,
  upcoming: [],
  funding: [{ fee_schedule_version: '2026-06', effective_from: '2026-06-01', loyalty_program_fund_bps: 200 }],
  ...liveFrame(AT, 'loyalty.program.v1'),
};

const enrolment = {
  enrolment_id: Nullable(Type.String({ description: 'Id of the newest enrolment, `len_…`; null: none' })),
  state: StringEnum(ENROLMENT_STATES, {
    title: 'EnrolmentState',
    description: 'Whether the seller takes part',
  }),
  from_on: Nullable(Day('First Sydney day on which it holds')),
  to_on: Nullable(Day('First Sydney day on which it no longer holds')),
  program_version: Nullable(Type.String({ description: 'The terms that the seller has agreed to' })),
  reason: Nullable(Type.String({ description: 'Why the marketplace has decided so' })),
  version: Type.Integer(),
};
export const EnrolmentFact = Type.Object(enrolment, {
  title: 'LoyaltyEnrolmentFact',
  description: 'An enrolment, as events have it.',
});
export type WireEnrolment = Static<typeof EnrolmentFact>;
export const Enrolment = Type.Object(
  { ...enrolment, allowed_actions: Type.Array(Type.String(), { description: 'What the seller can do now' }) },
  { title: 'LoyaltyEnrolment', description: 'Whether the seller takes part in the program.' },
);
export const FACT_EXAMPLE: WireEnrolment = {
  enrolment_id: 'len_01j0000000000000000000000',
  state: 'requested',
  from_on: '2026-08-02',
  to_on: null,
  program_version: '2026-1',
  reason: null,
  version: 1,
};
export const ENROLMENT_EXAMPLE: Static<typeof Enrolment> = { ...FACT_EXAMPLE, allowed_actions: [] };
export const EnrolmentInput = Type.Object(
  {
    enrolled: Type.Boolean({ description: 'Whether the seller wants to take part' }),
    effective_on: Type.Optional(Day('From which Sydney day; default: the earliest that is possible')),
    program_version: Type.String({ maxLength: 64, description: 'The present terms' }),
  },
  { title: 'LoyaltyEnrolmentInput', description: 'What the seller wants.' },
);

export const Wallet = Type.Object(
  {
    as_of: Day('Up to the end of this Sydney day'),
    ...Money,
    points: Type.Object(
      {
        issued: points('Earned on orders of this seller'),
        reversed: points('Taken back with refunds'),
        redeemed: points('Spent by buyers'),
        expired: points('Expired'),
        restored: points('Given back after they were spent'),
        adjusted: points('Corrections by the marketplace, with their sign'),
        outstanding: points('Balances of members above zero'),
        deficit: points('Balances below zero: points that were spent before their refund'),
      },
      { title: 'WalletPoints', description: 'Points of this seller’s orders.' },
    ),
    by_month: Type.Array(
      Type.Object(
        {
          month: Type.String({ description: 'Month in Sydney' }),
          redeemed: points('Spent'),
          expired: points('Expired'),
        },
        { title: 'WalletMonth', description: 'Points that went in a month.' },
      ),
      { description: 'By month' },
    ),
    value_minor: Nullable(
      Type.Object(
        {
          outstanding: money('Worth of the points outstanding'),
          redeemed: money('Of those redeemed'),
          expired: money('Of those expired'),
        },
        { title: 'WalletValue', description: 'Worth of the sums of points, half up.' },
      ),
    ),
    fund_balance_minor: money('What the seller has paid into the fund, less what was given back'),
    difference_minor: Nullable(money('The balance less the worth of all points that it has paid')),
    note: Type.String({ description: 'What the points are' }),
    ...frameFields,
  },
  { title: 'LoyaltyWallet', description: 'The points that the seller’s fund has bought.' },
);
export type WireWallet = Static<typeof Wallet>;
export const NOTE =
  'Points are the marketplace’s liability towards buyers. They are not a liability in the books of the seller.';
/** The example of docs/design/loyalty.md. */
export const WALLET_EXAMPLE: WireWallet = {
  as_of: '2026-08-31',
  ...moneyOf('AUD'),
  points: {
    ...{ issued: 6_068, reversed: 1_996, redeemed: 500, expired: 0, restored: 0, adjusted: 0 },
    ...{ outstanding: 3_572, deficit: 0 },
  },
  by_month: [{ month: '2026-08', redeemed: 500, expired: 0 }],
  value_minor: { outstanding: 1_786, redeemed: 250, expired: 0 },
  fund_balance_minor: 2_036,
  difference_minor: 0,
  note: NOTE,
  ...liveFrame(AT, 'loyalty.wallet.v1', { facts_through_on: '2026-08-31' }),
};

export const kind = StringEnum(ORDER_KINDS, {
  title: 'PointsKind',
  description: 'What happened to the points',
});
export const Transaction = Type.Object(
  {
    journal_id: Type.String({ description: 'Id of the entry, `ptx_…`' }),
    transaction_id: Type.String({ description: 'The marketplace’s id' }),
    kind,
    order_id: Type.String({ description: 'The order' }),
    refund_id: Nullable(Type.String({ description: 'The refund that took the points back; null: none' })),
    points: points('Points; of an adjustment with their sign'),
    funded_minor: money('What the fund has paid for them'),
    ...Money,
    occurred_at: Instant(),
    posted_on: Day('The Sydney day on which they count'),
  },
  { title: 'PointsTransaction', description: 'Points of an order of the seller.' },
);
type WireTransaction = Static<typeof Transaction>;
export const TRANSACTION_EXAMPLE: WireTransaction = {
  journal_id: 'ptx_01j0000000000000000000000',
  transaction_id: 'pt-1',
  kind: 'earned',
  order_id: 'ord_1002',
  refund_id: null,
  points: 876,
  funded_minor: 438,
  ...moneyOf('AUD'),
  occurred_at: '2026-06-30T14:30:00.000Z',
  posted_on: '2026-07-01',
};
export const toWireTransaction = (row: Journal): WireTransaction => ({
  journal_id: row.journal_id,
  transaction_id: row.transaction_id,
  kind: row.kind as WireTransaction['kind'],
  order_id: row.order_id ?? '',
  refund_id: row.refund_id,
  points: toNumber(row.points),
  funded_minor: toNumber(row.funded_minor),
  ...moneyOf(row.currency),
  occurred_at: row.occurred_at,
  posted_on: row.posted_on,
});

const sums = {
  charged_minor: money('Charged for the loyalty program fund'),
  credited_minor: money('Given back of it'),
  fund_minor: money('Charged less given back'),
};
const sumsOf = ({
  charged_minor,
  credited_minor,
}: Pick<StatementRow, 'charged_minor' | 'credited_minor'>) => ({
  charged_minor: toNumber(charged_minor),
  credited_minor: toNumber(credited_minor),
  fund_minor: toNumber(charged_minor - credited_minor),
});
const statement = {
  settlement_id: Type.String(),
  period_start: Day('First day of the settlement'),
  period_end: Day('Its last day'),
  status: Type.String({ description: 'State of the settlement' }),
  ...Money,
  ...sums,
};
export const Statement = Type.Object(statement, {
  title: 'LoyaltyStatement',
  description: 'The fund lines of a settlement.',
});
export const StatementDetail = Type.Object(
  {
    ...statement,
    orders: Type.Array(
      Type.Object(
        {
          order_id: Type.String({ description: 'The order' }),
          ...sums,
          points_earned: points('All points that the order has earned'),
          points_reversed: points('All that were taken back'),
        },
        { title: 'LoyaltyStatementOrder', description: 'The fund lines of an order, and its points.' },
      ),
      { description: 'The orders of the fund lines' },
    ),
  },
  { title: 'LoyaltyStatementDetail', description: 'The fund lines of a settlement by order.' },
);
export const toWireStatement = (row: StatementRow): Static<typeof Statement> => ({
  settlement_id: row.settlement_id,
  period_start: row.period_start,
  period_end: row.period_end,
  status: row.status,
  ...moneyOf(row.currency),
  ...sumsOf(row),
});
interface OrderOfStatement extends Pick<StatementRow, 'charged_minor' | 'credited_minor'> {
  readonly order_id: string;
  readonly points_earned: bigint;
  readonly points_reversed: bigint;
}
export const toWireOrder = (row: OrderOfStatement) => ({
  order_id: row.order_id,
  ...sumsOf(row),
  points_earned: toNumber(row.points_earned),
  points_reversed: toNumber(row.points_reversed),
});
export const STATEMENT_EXAMPLE: Static<typeof Statement> = {
  settlement_id: 'stl_01j0000000000000000000000',
  period_start: '2026-07-01',
  period_end: '2026-07-15',
  status: 'paid',
  ...moneyOf('AUD'),
  ...{ charged_minor: 1_436, credited_minor: 0, fund_minor: 1_436 },
};
export const DETAIL_EXAMPLE: Static<typeof StatementDetail> = {
  ...STATEMENT_EXAMPLE,
  orders: [
    {
      ...{ order_id: 'ord_1002', charged_minor: 438, credited_minor: 0, fund_minor: 438 },
      ...{ points_earned: 876, points_reversed: 0 },
    },
  ],
};

export const reconciledStatus = StringEnum(RECONCILED, {
  title: 'LoyaltyReconciliationStatus',
  description: '`pending`: they differ, and the later side was booked less than 48 hours ago',
});
export const Reconciliation = Type.Object(
  {
    order_id: Type.String({ description: 'The order' }),
    ...Money,
    fund_minor: money('Charged for the fund less given back, by the money ledger'),
    points_funded_minor: money('What the marketplace says that the points of the order have cost'),
    difference_minor: money('The first less the second'),
    status: reconciledStatus,
    last_booked_at: Instant({ description: 'When the later side was booked' }),
    charged_without_enrolment: Type.Boolean({
      description: 'Charged, though it was placed while the seller was not enrolled',
    }),
  },
  { title: 'LoyaltyReconciliation', description: 'Money and points of an order, compared to the cent.' },
);
export const toWireReconciliation = (row: ReconciledRow): Static<typeof Reconciliation> => ({
  order_id: row.order_id,
  ...moneyOf(row.currency),
  fund_minor: toNumber(row.fund_minor),
  points_funded_minor: toNumber(row.points_funded_minor),
  difference_minor: toNumber(row.fund_minor - row.points_funded_minor),
  status: row.status,
  last_booked_at: row.last_booked_at,
  charged_without_enrolment: row.charged_without_enrolment,
});
export const RECONCILIATION_EXAMPLE: Static<typeof Reconciliation> = {
  order_id: 'ord_1005',
  ...moneyOf('AUD'),
  ...{ fund_minor: 998, points_funded_minor: 0, difference_minor: 998, status: 'points_missing' },
  last_booked_at: '2026-07-05T01:00:00.000Z',
  charged_without_enrolment: false,
};
