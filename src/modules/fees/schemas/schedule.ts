/** The published rates on the wire. Source: docs/design/money.md#fees. */
import Type from 'typebox';
import { addDays } from '../../../kernel/australia/settlement-period.ts';
import { minorToJson } from '../../../kernel/money.ts';
import { described, Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { Amount, Money, moneyOf } from '../../reconciliation/index.ts';
import { DEFAULT_SCHEDULE, type FeeSchedule } from '../domain/schedule.ts';

const Bps = (description: string) =>
  Type.Integer({ description: `${description}, in hundredths of a per cent` });

export const ScheduleSchema = Type.Object(
  {
    fee_schedule_version: Type.String(),
    effective_from: Type.String({ format: 'date', description: 'First Sydney day on which it counts' }),
    effective_to: Nullable(
      Type.String({ format: 'date', description: 'Last day, once a later version is published' }),
    ),
    published_at: Nullable(
      Instant({ description: 'Null: the default, until the marketplace publishes a schedule' }),
    ),
    ...Money,
    platform_fee_default_bps: Bps('Rate of item lines'),
    category_overrides: Type.Array(
      Type.Object(
        { category: Type.String(), bps: Type.Integer({ description: 'Rate in basis points: 1000 is 10 %' }) },
        { title: 'CategoryOverride', description: 'The rate of one category.' },
      ),
      { description: 'For a category and all categories below it; the closest one applies' },
    ),
    shipping_fee_bps: Bps('Rate of shipping lines'),
    loyalty_program_fund_bps: Bps('Rate of item lines of orders in the loyalty program'),
    seller_order_fee_minor: Amount('Fixed, once per order'),
    dispute_fee_minor: Amount('The provider’s usual fee for a dispute; its actual fee is passed on'),
    payment_processing: StringEnum(['provider_pass_through'], {
      description: 'What the payment provider charged, known once the payment is captured',
    }),
    rounding: StringEnum(['half_up_per_line'], { description: 'How amounts are rounded' }),
  },
  { title: 'FeeSchedule', description: 'The fees of the marketplace from a day on.' },
);

/** @param next the version after it, if one is published */
export function scheduleJson(schedule: FeeSchedule, next: FeeSchedule | undefined) {
  const {
    version,
    currency: _,
    seller_order_fee_minor,
    dispute_fee_minor,
    category_overrides,
    ...rest
  } = schedule;
  return {
    fee_schedule_version: version,
    ...rest,
    category_overrides: [...category_overrides],
    effective_to: next === undefined ? null : addDays(next.effective_from, -1),
    ...moneyOf(schedule.currency),
    seller_order_fee_minor: minorToJson(seller_order_fee_minor),
    dispute_fee_minor: minorToJson(dispute_fee_minor),
    payment_processing: 'provider_pass_through' as const,
    rounding: 'half_up_per_line' as const,
  };
}

export const SCHEDULE_EXAMPLE = scheduleJson(
  {
    ...DEFAULT_SCHEDULE,
    version: '2026-07',
    effective_from: '2026-07-01',
    published_at: '2026-06-01T00:00:00.000Z',
  },
  undefined,
);

export const RatesSchema = Type.Object(
  {
    current: Nullable(described('Null: no rates in this currency count today', ScheduleSchema)),
    upcoming: Type.Array(ScheduleSchema, { description: 'Published and not in effect yet, the next first' }),
    history: Type.Array(ScheduleSchema, { description: 'No longer in effect, the last first' }),
    as_of: Instant(),
  },
  {
    title: 'PublishedRates',
    description: 'Fee schedules: the present one, those to come, and those before.',
  },
);
export const RATES_EXAMPLE = {
  current: SCHEDULE_EXAMPLE,
  upcoming: [],
  history: [],
  as_of: '2026-07-20T00:00:00.000Z',
};
