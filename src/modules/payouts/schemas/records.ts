import Type from 'typebox';
import { described, Nullable, Page, StringEnum } from '../../../kernel/schema.ts';
import { listMetadata, Money, metadata } from '../../reconciliation/index.ts';
import { CARRY_REASONS, CLOSED_EXAMPLE, HOLD_REASONS } from '../../settlements/index.ts';
import { EXPECTATIONS } from '../domain/expectation.ts';

const Day = Type.String({ format: 'date' });

const ExpectedSchema = Type.Object(
  {
    settlement_id: Type.String(),
    payout_id: Nullable(Type.String({ description: 'The last attempt, if there was one' })),
    period_start: described('First Sydney day of the settlement', Day),
    period_end: described('Last Sydney day of the settlement', Day),
    ...Money,
    amount_minor: Type.Integer({ description: 'For an open settlement, what it would pay now' }),
    state: StringEnum(EXPECTATIONS, { description: 'Whether and why it will be paid' }),
    reasons: Type.Array(StringEnum([...HOLD_REASONS, ...CARRY_REASONS]), {
      description: 'Why it waits, or is not expected',
    }),
    expected_on: Nullable(Type.String({ format: 'date', description: 'Null when it is not known' })),
  },
  { title: 'ExpectedPayout', description: 'A payout to come.' },
);
export const ExpectedPage = Page(ExpectedSchema, listMetadata);
export const EXPECTED_EXAMPLE = {
  settlement_id: CLOSED_EXAMPLE.settlement_id,
  payout_id: null,
  period_start: '2026-07-01',
  period_end: '2026-07-15',
  currency: 'AUD',
  currency_exponent: 2,
  amount_minor: 94_959,
  state: 'scheduled' as const,
  reasons: [],
  expected_on: '2026-07-16',
};

const Sum = {
  payout_count: Type.Integer({ description: 'Number of payouts' }),
  amount_minor: Type.Integer({ description: 'Sum of the payouts, above zero' }),
};
export const PayoutGrouping = StringEnum(['status', 'month'], {
  title: 'PayoutGrouping',
  description: 'What payouts are grouped by',
});
export const SummarySchema = Type.Object(
  {
    group: PayoutGrouping,
    data: Type.Array(
      Type.Object({ key: Type.String({ description: 'A status, or a month `YYYY-MM` in Sydney' }), ...Sum }),
      {
        description:
          'Every status, with zeros where there is none; or the months in which something was paid',
      },
    ),
    completed: Type.Object(Sum, { description: 'Paid and not returned' }),
    ...metadata,
  },
  { title: 'PayoutSummary', description: 'Sums of payouts by status or month.' },
);
