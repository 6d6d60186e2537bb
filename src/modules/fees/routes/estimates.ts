import Type, { type Static } from 'typebox';
import { sydneyDate } from '../../../kernel/australia/sydney.ts';
import { type FieldProblem, invalid } from '../../../kernel/errors.ts';
import { jsonOrNull, lessMinor, minor, minorToJson, timesUnits } from '../../../kernel/money.ts';
import { CurrencyCode, described, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { defineRoute, okJson } from '../../../platform/http/define-route.ts';
import { Amount, access, Money, moneyOf, NullableAmount } from '../../reconciliation/index.ts';
import { type EstimateItem, estimateItem } from '../domain/estimate.ts';
import { DEFAULT_SCHEDULE, type FeeSchedule } from '../domain/schedule.ts';
import { EstimatedComponent } from '../schemas/comparison.ts';
import { scheduleAt } from '../store/schedules.ts';

const ITEMS_MAX = 100;
const QUANTITY_MAX = 10_000;
/** Ten million dollars for each unit. Multiplied by the largest quantity it is still exact in JSON. */
const PRICE_MAX = 1_000_000_000;
const Price = (description: string) => Type.Integer({ minimum: 0, maximum: PRICE_MAX, description });

const Item = Type.Object({
  reference: Type.Optional(
    Nullable(Type.String({ maxLength: 200, description: 'Your own reference; returned unchanged' })),
  ),
  price_minor: Price('Price of one unit'),
  quantity: Type.Optional(
    Type.Integer({ minimum: 1, maximum: QUANTITY_MAX, default: 1, description: 'Units' }),
  ),
  category: Type.Optional(
    Nullable(Type.String({ maxLength: 400, description: 'Category of the product; it decides the rate' })),
  ),
  shipping_minor: Type.Optional(Price('Price of the shipping line')),
  seller_discount_minor: Type.Optional(Price('Subtracted from the items before fees')),
  loyalty: Type.Optional(Type.Boolean({ description: 'The order is in the loyalty program' })),
});

const Estimated = Type.Object(
  {
    component: EstimatedComponent,
    status: StringEnum(['known', 'not_captured', 'not_applicable'], {
      description: 'Whether the amount can be known before the sale',
    }),
    amount_minor: NullableAmount('Null: it is not known before the sale'),
    formula: Type.String({ description: 'In minor units' }),
    steps: described(
      'The steps of the computation',
      Type.Array(
        Type.Object(
          {
            on: StringEnum(['item', 'shipping'], {
              title: 'LineKind',
              description: 'A line for goods, or for shipping that the buyer paid',
            }),
            basis_minor: Amount('What the rate is applied to'),
            rate_bps: Amount('Hundredths of a per cent'),
            source: StringEnum(['order', 'shipping', 'category', 'default', 'schedule'], {
              description: 'What decided the rate',
            }),
            exact: Type.String({ description: 'Before rounding, in minor units' }),
            rounding: StringEnum(['half_up'], { description: 'How the amount is rounded' }),
            amount_minor: Amount('After rounding'),
          },
          { title: 'EstimateStep', description: 'One step of the computation.' },
        ),
      ),
    ),
  },
  { title: 'EstimatedComponent', description: 'One component of the estimate.' },
);
const Estimates = Type.Object(
  {
    fee_schedule_version: Type.String(),
    ...Money,
    estimated_at: Type.String({ format: 'date-time', description: 'When the estimate was made' }),
    rounding: StringEnum(['half_up_per_line'], { description: 'How amounts are rounded' }),
    data: described(
      'One estimate for each item, in their order',
      Type.Array(
        Type.Object(
          {
            reference: Nullable(Type.String({ description: 'The reference of the item' })),
            gross_minor: Amount('Items after discount, and shipping'),
            known_fees_minor: Amount('Sum of the components that are known'),
            before_missing_minor: Amount('Gross less known fees; missing fees will be subtracted too'),
            components: Type.Array(Estimated, { description: 'The fees by component' }),
            missing_components: Type.Array(EstimatedComponent),
          },
          { title: 'FeeEstimate', description: 'The estimated fees of one item.' },
        ),
      ),
    ),
  },
  { title: 'FeeEstimates', description: 'Estimated fees, computed from the published schedule.' },
);

function readItem(item: Static<typeof Item>, at: number): EstimateItem | FieldProblem {
  const { price_minor, quantity = 1, seller_discount_minor: off = 0 } = item;
  const price = minor(price_minor);
  const discount = minor(off);
  if (lessMinor(timesUnits(price, quantity), discount) < 0n)
    return {
      loc: ['body', 'items', at, 'seller_discount_minor'],
      msg: 'Must not be more than the items cost.',
      type: 'less_than_equal',
      input: off,
    };
  return {
    reference: item.reference ?? null,
    price,
    quantity,
    category: item.category ?? null,
    shipping: minor(item.shipping_minor ?? 0),
    discount,
    loyalty: item.loyalty ?? false,
  };
}

function estimateJson(schedule: FeeSchedule, item: EstimateItem) {
  const { gross, fees, components } = estimateItem(schedule, item);
  return {
    reference: item.reference,
    gross_minor: minorToJson(gross),
    known_fees_minor: minorToJson(fees),
    before_missing_minor: minorToJson(lessMinor(gross, fees)),
    components: components.map(({ amount, steps, ...component }) => ({
      ...component,
      amount_minor: jsonOrNull(amount),
      steps: steps.map(({ basis, amount: rounded, ...step }) => ({
        ...step,
        basis_minor: minorToJson(basis),
        rounding: 'half_up' as const,
        amount_minor: minorToJson(rounded),
      })),
    })),
    missing_components: components.flatMap(({ amount, component }) => (amount === null ? [component] : [])),
  };
}

const example = estimateJson(DEFAULT_SCHEDULE, {
  reference: 'TIN-S',
  price: minor(1_995),
  quantity: 3,
  category: null,
  shipping: minor(850),
  discount: minor(0),
  loyalty: false,
});

const estimates = defineRoute({
  id: 'fees.estimates.simulate',
  method: 'POST',
  path: '/estimates',
  summary: 'Estimate the fees of sales, each component with its formula and rounding',
  description:
    'Uses the rates of today and writes nothing. A fee that is not known before a sale is missing, not zero.',
  access,
  tx: 'read',
  cache: 'no-store',
  body: {
    kind: 'json',
    schema: Type.Object(
      {
        currency: Type.Optional(
          CurrencyCode({
            description: 'Currency of the amounts, ISO 4217; defaults to the seller’s currency',
          }),
        ),
        items: Type.Array(Item, { minItems: 1, maxItems: ITEMS_MAX, description: 'Sales to estimate' }),
      },
      { title: 'FeeEstimateInput', description: 'Sales to estimate the fees of.' },
    ),
    example: { items: [{ reference: 'TIN-S', price_minor: 1_995, quantity: 3, shipping_minor: 850 }] },
  },
  ok: okJson('An estimate for each item, in their order', Estimates, {
    fee_schedule_version: '2026-07',
    ...moneyOf('AUD'),
    estimated_at: '2026-07-20T00:00:00.000Z',
    rounding: 'half_up_per_line' as const,
    data: [example],
  }),
  errors: [],
  handler: async (ctx, { body }) => {
    const items = body.items.map(readItem);
    const problems = items.filter((item) => 'loc' in item);
    if (problems.length > 0) throw invalid(problems);
    const { currency = (await ctx.standing()).currency } = body;
    const schedule = await scheduleAt(ctx.db, currency, sydneyDate(ctx.now()));
    if (schedule === undefined)
      throw invalid([
        {
          loc: ['body', 'currency'],
          msg: `No rates for orders in ${currency} count today.`,
          type: 'enum',
          input: currency,
        },
      ]);
    return {
      body: {
        fee_schedule_version: schedule.version,
        ...moneyOf(currency),
        estimated_at: ctx.at(),
        rounding: 'half_up_per_line' as const,
        data: items.flatMap((item) => ('loc' in item ? [] : [estimateJson(schedule, item)])),
      },
    };
  },
});

export const estimateRoutes = [estimates];
