/** `marketplace.fee_schedule.published`: new rates from a day on. The frozen rates of orders do not change. */
import { isDeepStrictEqual } from 'node:util';
import Type, { type Static } from 'typebox';
import {
  defineMarketplaceEvent,
  type IntakeCtx,
  type IntakeOutcome,
  IntakeRejection,
  type MarketplaceEvent,
  requireCurrency,
} from '../../../kernel/events.ts';
import { minor } from '../../../kernel/money.ts';
import { CURRENCY, DAY_FROM_2000 } from '../../../kernel/schema.ts';
import { DEFAULT_SCHEDULE, type FeeSchedule, unclearCategory } from '../domain/schedule.ts';
import { insertSchedule, scheduleOfVersion } from '../store/schedules.ts';

/** Below 2^53, as every amount on the wire. */
const AMOUNT_MAX = 1_000_000_000_000_000;
const Bps = Type.Integer({ minimum: 0, maximum: 10_000, description: 'Hundredths of a per cent' });
const Amount = Type.Integer({ minimum: 0, maximum: AMOUNT_MAX });

const Data = Type.Object({
  version: Type.String({ minLength: 1, maxLength: 64 }),
  currency: Type.Optional(
    Type.String({
      ...CURRENCY,
      default: DEFAULT_SCHEDULE.currency,
      description: 'The currency of its amounts, ISO 4217. It counts for orders in this currency only',
    }),
  ),
  effective_from: Type.String({ format: 'date', ...DAY_FROM_2000, description: 'Sydney day' }),
  platform_fee_default_bps: Bps,
  category_overrides: Type.Optional(
    Type.Array(Type.Object({ category: Type.String({ minLength: 1, maxLength: 200 }), bps: Bps }), {
      maxItems: 1_000,
    }),
  ),
  shipping_fee_bps: Bps,
  loyalty_program_fund_bps: Bps,
  seller_order_fee_minor: Amount,
  dispute_fee_minor: Amount,
});

const ratesOf = ({ published_at: _, ...rates }: FeeSchedule) => rates;

async function applyPublished(
  { db }: IntakeCtx,
  { data, subject, time }: MarketplaceEvent<Static<typeof Data>>,
): Promise<IntakeOutcome> {
  if (subject !== null && subject !== data.version)
    throw new IntakeRejection('data_invalid', 'subject and data/version name different versions');
  if (data.version === DEFAULT_SCHEDULE.version)
    throw new IntakeRejection('data_invalid', 'data/version is the name of what counts before any schedule');
  const { currency = DEFAULT_SCHEDULE.currency, category_overrides = [] } = data;
  requireCurrency('data/currency', currency);
  const unclear = unclearCategory(category_overrides);
  if (unclear !== undefined)
    throw new IntakeRejection(
      'data_invalid',
      `data/category_overrides: "${unclear}" is empty or names a category that has a rate already`,
    );
  const schedule: FeeSchedule = {
    ...data,
    currency,
    category_overrides,
    seller_order_fee_minor: minor(data.seller_order_fee_minor),
    dispute_fee_minor: minor(data.dispute_fee_minor),
    published_at: time,
  };
  if (await insertSchedule(db, schedule)) return { status: 'applied' };
  const known = await scheduleOfVersion(db, data.version);
  if (known !== undefined && isDeepStrictEqual(ratesOf(known), ratesOf(schedule))) return { status: 'stale' };
  throw new IntakeRejection(
    'invalid_transition',
    `The version ${data.version} was published before with other rates.`,
  );
}

export const schedulePublished = defineMarketplaceEvent({
  type: 'marketplace.fee_schedule.published',
  summary:
    'Rates for orders in one currency from a day on; an order in a currency without rates is refused. Orders that were accepted before keep theirs',
  subject: 'schedule version',
  schema: Data,
  example: {
    version: '2026-07',
    currency: 'AUD',
    effective_from: '2026-07-01',
    platform_fee_default_bps: 1000,
    category_overrides: [{ category: 'electronics', bps: 1250 }],
    shipping_fee_bps: 1000,
    loyalty_program_fund_bps: 200,
    seller_order_fee_minor: 30,
    dispute_fee_minor: 2500,
  },
  example_subject: '2026-07',
  apply: applyPublished,
});
